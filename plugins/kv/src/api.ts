import { service } from '@svc/plugin-sdk';

export { type ByteCounter, countBytes, rowBytes } from './byte-counter.ts';

/** Kind of a limit: the end of its key `database_limit_<kind>` (kv.md §5.2). */
export type LimitKind =
  | 'static_monitoring'
  | 'dynamic_monitoring'
  | 'dynamic_monitoring_summary'
  | 'task'
  | 'crontab_result'
  | 'js_result';

/** The limits of one kind, as they were when the round began. */
export interface Limits {
  /** Tells whether a limit of this kind is set: otherwise there is nothing to clean. */
  readonly any: boolean;
  /**
   * Returns how long rows are kept, ms: the agent's own value first, else the one of namespace `global`; undefined: forever.
   * An own value of 0 means forever, whatever `global` says. Without an agent (lower-case hyphenated): the one of `global`.
   */
  of(agent?: string): number | undefined;
  /** Agents whose rows have a limit, 0 ("forever") included: all through namespace `global`, or these. */
  readonly limited: 'all' | ReadonlySet<string>;
}

/** Retention driven by the keys `database_limit_*`: each plugin cleans its own tables with it (kv.md §6). */
export interface RetentionLimits {
  /**
   * Calls `clean` every `[kv] retention_interval_ms` of a serving process while `[kv] retention` is on; rounds never overlap, and a
   * failure is logged and ends that kind's round only. `clean` deletes in small batches, stops when the signal
   * aborts, and gives the number of deleted rows. Tables of agents measure the window back from the
   * agent's newest row, result tables from now.
   */
  every(kind: LimitKind, clean: (limits: Limits, signal: AbortSignal) => Promise<number>): void;
  /** The limits of every kind as they are now, also while `[kv] retention` is off. @throws RpcError 103 */
  now(signal: AbortSignal): Promise<(kind: LimitKind) => Limits>;
}

export const RetentionLimits = service<RetentionLimits>('retention-limits');

/** Values that agents have under one key in their own namespaces; no rights are asked. */
export interface AgentValues {
  /** Returns `[uuid, value]` of those of these agents (lower-case hyphenated) that have a value of at most 2 kB. @throws RpcError 103 */
  ofAgents(
    key: string,
    uuids: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly [uuid: string, value: unknown])[]>;
  /** Returns `[uuid, key, value]` of such values under several keys, with one statement for many agents. @throws RpcError 103 */
  ofAgentsKeys(
    keys: readonly string[],
    uuids: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly [uuid: string, key: string, value: unknown])[]>;
}

export const AgentValues = service<AgentValues>('agent-values');
