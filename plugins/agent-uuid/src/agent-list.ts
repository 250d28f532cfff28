import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Auth, CallContext, Principal } from '@svc/plugin-sdk';
import type { Agent, AgentFacts, AgentList, AgentSource } from './api.ts';

/** Rights that are checked before other calls get their turn. */
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

/** Gathers facts of the plugins about agents, each source under its own right. */
export class Gatherer implements AgentList {
  readonly #auth: Auth;
  readonly #sources: AgentSource[] = [];

  constructor(auth: Auth) {
    this.#auth = auth;
  }

  add(source: AgentSource): void {
    this.#sources.push(source);
  }

  /** Returns rows in the order of `agents`. @throws RpcError 103, and the signal's reason */
  async gather(
    agents: readonly Agent[],
    { caller, signal }: Pick<CallContext, 'caller' | 'signal'>,
  ): Promise<ListedAgent[]> {
    const rows = agents.map(rowOf);
    await Promise.all(
      this.#sources.map(async (source) => {
        const [visible, places] = await this.#visible(source, agents, caller);
        if (visible.length === 0) return;
        const facts = await source.read(visible, { signal, share: caller.id });
        // What many agents need takes some milliseconds for each source.
        await nextTurn();
        for (const [at, found] of facts.entries())
          Object.assign(rows[places?.[at] ?? at] as object, found);
      }),
    );
    await nextTurn();
    return rows;
  }

  /** Returns the agents that the caller may see, and their places; undefined: all. */
  async #visible(
    { scope, permissions }: AgentSource,
    agents: readonly Agent[],
    caller: Principal,
  ): Promise<readonly [visible: readonly Agent[], places: readonly number[] | undefined]> {
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
