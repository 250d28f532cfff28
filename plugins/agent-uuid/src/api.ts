import { type Permission, service } from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';

export { visibleAgents } from './visibility.ts';

/** One registered agent. Objects are replaced, never changed. */
export interface Agent {
  /** 32-bit, never reused; the `uuid_id` of monitoring rows. */
  readonly id: number;
  /** Lower-case hyphenated. */
  readonly uuid: string;
  readonly soft_delete: boolean;
  /** Unix ms of the deletion; null while active, and for deletions by older programs. */
  readonly deleted_at: number | null;
  /** Unix ms of the registration; null: an older program registered it. */
  readonly first_seen: number | null;
}

/**
 * Looks at agents that are about to be stored or made active again, in the transaction that does so. Await only the database.
 * @returns those that are refused
 */
export type FirstCheck = (
  on: QueryBuilder,
  uuids: readonly string[],
) => Promise<ReadonlySet<string>>;

/** The registry of agents, held in memory and kept equal over all servers on one database (agent.md §9.3). */
export interface AgentRegistry {
  /** Returns an agent from memory, soft-deleted ones included. */
  known(uuid: string): Agent | undefined;
  /** Returns an agent from memory, else from the database: finds a row that another program inserted. @throws RpcError 103 */
  find(uuid: string): Promise<Agent | undefined>;
  /** Every agent, soft-deleted ones included, ascending by UUID. */
  list(): readonly Agent[];
  /**
   * The agent of this UUID, inserted or made active again if needed; returned at once when it is active.
   * @throws RpcError 103, or 102 when `max_agents` are active
   */
  register(uuid: string): Agent | Promise<Agent>;
  /** Registers an agent for a report; undefined while the hold-off after the agent's deletion lasts. */
  admit(uuid: string): Agent | undefined | Promise<Agent | undefined>;
  /** Asks this before the first report of an agent is taken; 102 for those that it refuses. */
  checkFirst(check: FirstCheck): void;
  /** Sets the soft-delete flag, in the table first. @returns false when the UUID was never registered */
  softDelete(uuid: string): Promise<boolean>;
  /** Called after an agent was registered, deleted or re-activated, by any server. @returns removes the listener */
  onChange(listener: (agent: Agent) => void): () => void;
  /** SQL text expression: the lower-case hyphenated UUID of the agent whose id is in `column`, or null. */
  uuidSql(column: string): string;
  /** SQL condition with one parameter, a UUID in the form of `db.forms.uuid`: such an agent is in the table, be it soft-deleted. */
  isStoredSql(): string;
}

export const AgentRegistry = service<AgentRegistry>('agent-registry');

/** Facts that other plugins have of an agent for `agent-uuid_list`. A member that is missing or null: there is none. */
export interface AgentFacts {
  readonly name: string | null;
  /** Host name of its system. */
  readonly host_name: string | null;
  readonly tags: readonly string[] | null;
  /** Unix ms of the newest report. */
  readonly last_seen: number | null;
  /** Address of the newest sender of its reports. */
  readonly address: string | null;
  readonly version: string | null;
  readonly connected_for_tasks: boolean | null;
  readonly tasks_allowed: boolean | null;
  readonly last_refusal: Refusal | null;
}

/** The last report of an agent that was refused. */
export interface Refusal {
  /** Unix ms. */
  readonly time: number;
  /** Code of the error that refused it. */
  readonly code: number;
  readonly reason: string;
}

/** Source of facts that one plugin adds to `agent-uuid_list`. */
export interface AgentSource {
  /** The right that a caller needs for each agent it hears this of: these permissions, in the scope of this tag and the agent's UUID. */
  readonly scope: string;
  readonly permissions: readonly Permission[];
  /**
   * Returns facts in the order of the agents, undefined where there are none. There may be 10,000 agents, so it must not
   * read each by itself. @throws RpcError 103
   */
  read(
    agents: readonly Agent[],
    call: { readonly signal: AbortSignal; readonly share: string },
  ): Promise<readonly (Partial<AgentFacts> | undefined)[]>;
}

/** List to which plugins add their facts of agents. Call it in `setup`; use it as an optional service. */
export interface AgentList {
  add(source: AgentSource): void;
}

export const AgentList = service<AgentList>('agent-list');
