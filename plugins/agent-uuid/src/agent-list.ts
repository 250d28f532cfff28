import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Auth, CallContext, Principal } from '@svc/plugin-sdk';
import type { Agent, AgentFacts, AgentList, AgentSource } from './api.ts';

/** Rights that are looked at before other calls get their turn. */
const SLICE = 256;

/** One agent of `agent-uuid_list`. */
export interface ListedAgent extends AgentFacts {
  readonly uuid: string;
  readonly first_seen: number | null;
}

const rowOf = ({ uuid, first_seen }: Agent): ListedAgent => ({
  uuid,
  name: null,
  host_name: null,
  tags: null,
  first_seen,
  last_seen: null,
  address: null,
  version: null,
  connected_for_tasks: null,
  tasks_allowed: null,
  last_refusal: null,
});

/** Gathers what the plugins know of agents, each source under its own right. */
export class Gatherer implements AgentList {
  readonly #auth: Auth;
  readonly #sources: AgentSource[] = [];

  constructor(auth: Auth) {
    this.#auth = auth;
  }

  add(source: AgentSource): void {
    this.#sources.push(source);
  }

  /** In the order of `agents`. @throws RpcError 103, and the signal's reason */
  async gather(
    agents: readonly Agent[],
    { caller, signal }: Pick<CallContext, 'caller' | 'signal'>,
  ): Promise<ListedAgent[]> {
    const rows = agents.map(rowOf);
    await Promise.all(
      this.#sources.map(async (source) => {
        const [told, places] = await this.#told(source, agents, caller);
        if (told.length === 0) return;
        const facts = await source.read(told, { signal, share: caller.id });
        // What many agents need takes some milliseconds for each source.
        await nextTurn();
        for (const [at, known] of facts.entries())
          Object.assign(rows[places?.[at] ?? at] as object, known);
      }),
    );
    await nextTurn();
    return rows;
  }

  /** Those of which the caller may hear, and their places; undefined: all. */
  async #told(
    { scope, permissions }: AgentSource,
    agents: readonly Agent[],
    caller: Principal,
  ): Promise<readonly [told: readonly Agent[], places: readonly number[] | undefined]> {
    const wanted = { permissions, denied: '' };
    if (caller.super || (await this.#auth.allows(caller, { ...wanted, scopes: ['global'] })))
      return [agents, undefined];
    const places: number[] = [];
    for (let from = 0; from < agents.length; from += SLICE) {
      const scopes = agents.slice(from, from + SLICE).map(({ uuid }) => ({ [scope]: uuid }));
      const all = await this.#auth.allows(caller, { ...wanted, scopes });
      for (const [at, one] of scopes.entries()) {
        if (all || (await this.#auth.allows(caller, { ...wanted, scopes: [one] })))
          places.push(from + at);
      }
      await nextTurn();
    }
    return [places.map((at) => agents[at] as Agent), places];
  }
}
