import type { Agent, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Row, STORAGE_TIME, TIMESTAMP } from '../kinds.ts';
import type { LastValues } from '../last-values.ts';

/** The newest report of one agent, and the turn at which it was seen first. */
export interface Shown {
  readonly uuid: string;
  readonly row: Row;
  readonly turn: number;
}

/** Newest reports of one kind while there are viewers. */
export class Board {
  readonly #last: LastValues;
  readonly #agentOf: AgentOf;
  readonly #registry: AgentRegistry;
  readonly #shown = new Map<string, Shown>();
  #changed = new Set<number>();
  turn = 0;

  constructor(last: LastValues, registry: AgentRegistry, agentOf: AgentOf) {
    this.#last = last;
    this.#registry = registry;
    this.#agentOf = agentOf;
  }

  /** Returns the reports by UUID, agents without a report left out. */
  get shown(): ReadonlyMap<string, Shown> {
    return this.#shown;
  }

  /** Forgets all: there are no viewers any more. */
  clear(): void {
    this.#shown.clear();
    this.#changed.clear();
  }

  /** Notes that reports of these agents have come or gone; null: of any. */
  changed(ids: readonly number[] | null): void {
    for (const id of ids ?? this.#registry.list().map((agent) => agent.id)) this.#changed.add(id);
  }

  /** Reads what has changed, as one turn; never twice at a time. @throws RpcError 103; then the next turn reads it */
  async update(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed = new Set();
    const turn = ++this.turn;
    try {
      const found = this.#last.get(ids);
      const rows = found instanceof Promise ? await found : found;
      for (let at = 0; at < ids.length; at++) this.#show(ids[at] as number, rows[at] ?? null, turn);
    } catch (error) {
      this.changed(ids);
      throw error;
    }
  }

  #show(id: number, row: Row | null, turn: number): void {
    const agent = this.#agentOf(id);
    if (!agent) return;
    const { uuid, soft_delete } = agent;
    if (!row || soft_delete) this.#shown.delete(uuid);
    else if (!isSame(this.#shown.get(uuid)?.row, row)) this.#shown.set(uuid, { uuid, row, turn });
  }
}

const isSame = (before: Row | undefined, row: Row): boolean =>
  before === row ||
  (before?.[TIMESTAMP] === row[TIMESTAMP] && before?.[STORAGE_TIME] === row[STORAGE_TIME]);

export type AgentOf = (id: number) => Agent | undefined;

/** Agents by the id of their rows. */
export function agentsById(registry: AgentRegistry): AgentOf {
  const agents = new Map<number, Agent>();
  registry.onChange((agent) => agents.set(agent.id, agent));
  return (id) => {
    const agent = agents.get(id);
    if (agent) return agent;
    for (const one of registry.list()) agents.set(one.id, one);
    return agents.get(id);
  };
}
