import { service } from '@svc/plugin-sdk';

/** Presence and uptime of one agent. */
export interface Seen {
  /** Tells whether it reported within the last `silence_s`. */
  readonly here: boolean;
  /** Unix ms: when it came, or of its last report before it went. */
  readonly since: number;
  /** The oldest UTC day that is kept of it, counted since 1970; undefined: none yet. */
  readonly firstDay: number | undefined;
  /** Milliseconds that it was seen on each UTC day; up to five minutes of today are missing. Days without a report are left out. */
  readonly days: ReadonlyMap<number, number>;
}

/** Agent that does not report. */
export interface Away {
  /** `Agent.id` */
  readonly id: number;
  /** Unix ms of its last report. */
  readonly since: number;
}

/** Event of an agent, as it is stored. */
export interface StoredEvent {
  readonly id: number;
  /** `Agent.id` */
  readonly agent: number;
  readonly kind: string;
  /** Unix ms. */
  readonly time: number;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Moment at which an agent came, or of its last report before it went. */
export interface Coming {
  readonly here: boolean;
  /** Unix ms. */
  readonly time: number;
}

/** History of when agents were seen; no rights are asked. */
export interface AgentHistory {
  /**
   * Returns the history of each agent (`Agent.id`) that was ever seen, with its days from this one on, read away from the
   * event loop. @throws RpcError 103
   */
  seen(ids: readonly number[], fromDay: number): Promise<ReadonlyMap<number, Seen>>;
  /** Returns every agent that reported once and does not any more, for at least `silence_s`. @throws RpcError 103 */
  away(): Promise<readonly Away[]>;
  /** Returns the address from which each agent (`Agent.id`) reported last, of those of which one is known. @throws RpcError 103 */
  addresses(): Promise<ReadonlyMap<number, string>>;
  /** Returns events of agents behind this id and not before this time (Unix ms), the oldest first, at most 1,000. @throws RpcError 103 */
  events(after: number, from: number): Promise<readonly StoredEvent[]>;
  /**
   * Returns when each of these agents (`Agent.id`) came and went in a range, the oldest first, and how it was before. @throws
   * RpcError 103, -32008 for more than 4 MB
   */
  comings(
    ids: readonly number[],
    from: number,
    to: number,
  ): Promise<ReadonlyMap<number, readonly Coming[]>>;
}
export const AgentHistory = service<AgentHistory>('agent-history');
