import { service } from '@svc/plugin-sdk';

/** One registered agent. Objects are replaced, never changed. */
export interface Agent {
  /** 32-bit, never reused; the `uuid_id` of monitoring rows. */
  readonly id: number;
  /** Lower-case hyphenated. */
  readonly uuid: string;
  readonly soft_delete: boolean;
  /** Unix ms of the deletion; null while active, and for deletions by older programs. */
  readonly deleted_at: number | null;
}

/** The registry of agents, held in memory and kept equal over all servers on one database (agent.md §9.3). */
export interface AgentRegistry {
  /** From memory, soft-deleted ones included. */
  known(uuid: string): Agent | undefined;
  /** As `known`, then from the database: finds a row that another program inserted. @throws RpcError 103 */
  find(uuid: string): Promise<Agent | undefined>;
  /** Every agent, soft-deleted ones included, ascending by UUID. */
  list(): readonly Agent[];
  /**
   * The agent of this UUID, inserted or made active again if needed; returned at once when it is active.
   * @throws RpcError 103, or 102 when `max_agents` are active
   */
  register(uuid: string): Agent | Promise<Agent>;
  /** As `register`, for a report; undefined while the hold-off after the agent's deletion lasts. */
  admit(uuid: string): Agent | undefined | Promise<Agent | undefined>;
  /** Sets the soft-delete flag, in the table first. @returns false when the UUID was never registered */
  softDelete(uuid: string): Promise<boolean>;
  /** Called after an agent was registered, deleted or re-activated, by any server. @returns removes the listener */
  onChange(listener: (agent: Agent) => void): () => void;
  /** SQL text expression: the lower-case hyphenated UUID of the agent whose id is in `column`, or null. */
  uuidSql(column: string): string;
}

export const AgentRegistry = service<AgentRegistry>('agent-registry');
