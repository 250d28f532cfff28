import type { Agent } from '@svc/plugin-agent-uuid/api';
import { service, Type, topic } from '@svc/plugin-sdk';
import type { SqlValue } from '@svc/plugin-sdk/sql';

/** Times of the last reports of agents. */
export interface LastReports {
  /**
   * Unix ms, by the server's clock, of the newest report of this agent that is a summary or a full one; undefined: none is stored.
   * @throws RpcError 103
   */
  heardAt(uuid: string): Promise<number | undefined>;
  /** Returns the same for many agents, in their order. */
  heard(agents: readonly Agent[]): Promise<readonly (number | undefined)[]>;
  /** Returns how many reports this server could not store, since its start. */
  lost(): number;
}

export const LastReports = service<LastReports>('last-reports');

/**
 * Agents reported, to any server, or lost their newest report to a delete. Comes at most five times a second; the
 * reports are in the database by then, and the `agent_*_multi_last_query` methods answer the newest ones from memory.
 */
export const AgentReported = topic(
  'agent.reported',
  Type.Object({
    kind: Type.Enum(['static', 'dynamic', 'summary']),
    uuids: Type.Array(Type.String({ description: 'Lower-case hyphenated.' })),
  }),
  { local: true },
);

/** A range of one agent's reports, cut into buckets of `step` ms from `origin` on (default: `from`); `to` is after it. */
export interface BucketAsk {
  /** `Agent.id` */
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly origin?: number;
  readonly signal?: AbortSignal;
  /** The caller for whom it reads. */
  readonly share?: string;
}

/** Kind of part that full reports list: disks by mount point, interfaces by name, cores and graphics cards by number. */
export type Part = 'disk' | 'interface' | 'core' | 'gpu';

/** One bucket that is not empty. */
export interface BucketRow {
  /** Number of the bucket. */
  readonly at: number;
  /** Name of the disk, interface, core or card; empty for summaries. */
  readonly name: string;
  /** Count, least, greatest and average value of each field in turn, then the last value of each field, as they are stored; null: no value. */
  readonly values: readonly (number | null)[];
}

/** The counters of one summary. */
export interface CounterRow {
  /** Unix ms: the time as of which it counts (agent.md §3.2), and when it was stored. */
  readonly time: number;
  readonly arrived: number;
  /** Unix seconds, and seconds. */
  readonly boot_time: number | null;
  readonly uptime: number | null;
  /** Bytes, sums over interfaces. */
  readonly received: number;
  readonly transmitted: number;
  /** Bytes per second, as the agent measured it. */
  readonly receive_speed: number | null;
  readonly transmit_speed: number | null;
  /**
   * Tells whether the counters did nothing but grow as usual since the row before it; reports between the two may be left
   * out.
   */
  readonly follows?: boolean;
}

/** Aggregates over stored reports, made away from the event loop and handed over some at a time. @throws RpcError 103, -32008 beyond 8 MB */
export interface ReportBuckets {
  /** Reads buckets of these fields of summaries, `timestamp` and `storage_time` included; `cpu_usage` and the loads are stored times ten. */
  summary(ask: BucketAsk, fields: readonly string[]): AsyncIterable<BucketRow[]>;
  /** Reads buckets of these fields of one part of full reports. */
  parts(ask: BucketAsk, part: Part, fields: readonly string[]): AsyncIterable<BucketRow[]>;
  /** Counts the reports in a range, up to `most`. */
  count(
    kind: 'summary' | 'dynamic',
    ids: readonly number[],
    range: { readonly from: number; readonly to: number; readonly most: number },
  ): Promise<number>;
  /** Agents and hours (of the reports' own time, since 1970) of what was stored from `from` until before `to`. */
  arrived(
    kind: 'summary' | 'dynamic',
    from: number,
    to: number,
  ): Promise<{ readonly id: number; readonly hour: number }[]>;
  /**
   * `erase` runs when a caller has deleted every report of a kind, of one agent or (undefined) of all, and the caller's answer
   * waits for it.
   */
  whenErased(erase: Erase): void;
  /**
   * Counters of summaries that were stored from `from` until before `to`, by agent and in the order of arrival. Of a run of reports
   * whose counters grew as usual only the first and the last are returned.
   */
  counters(
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<(CounterRow & { readonly id: number })[]>;
  /** Returns when the first report from `since` on was stored. */
  firstArrival(kind: 'summary' | 'dynamic', since: number): Promise<number | undefined>;
}

/** Removes what was made of the reports of an agent (its UUID) or of all. @throws RpcError 103 */
export type Erase = (kind: 'summary' | 'dynamic', uuid: string | undefined) => Promise<void>;

export const ReportBuckets = service<ReportBuckets>('report-buckets');

/**
 * Places of the columns in a stored summary: `uuid_id` is `Agent.id`, `timestamp` the report's own time, `storage_time` that of the
 * server at arrival, both Unix ms. `cpu_usage` and the loads are stored times ten. Values are numbers, beyond 2^53 `bigint`; null: none.
 */
export const SUMMARY_COLUMNS = {
  uuid_id: 0,
  timestamp: 1,
  storage_time: 2,
  cpu_usage: 3,
  gpu_usage: 4,
  used_swap: 5,
  total_swap: 6,
  used_memory: 7,
  total_memory: 8,
  available_memory: 9,
  load_one: 10,
  load_five: 11,
  load_fifteen: 12,
  uptime: 13,
  boot_time: 14,
  process_count: 15,
  total_space: 16,
  available_space: 17,
  read_speed: 18,
  write_speed: 19,
  tcp_connections: 20,
  udp_connections: 21,
  total_received: 22,
  total_transmitted: 23,
  transmit_speed: 24,
  receive_speed: 25,
} as const;

/** Places of the columns in a stored full report; from `cpu` on they are JSON texts. */
export const FULL_COLUMNS = {
  uuid_id: 0,
  timestamp: 1,
  storage_time: 2,
  cpu: 3,
  ram: 4,
  load: 5,
  system: 6,
  disk: 7,
  network: 8,
  gpu: 9,
} as const;

/** Reports of one kind that are in the database. */
export interface StoredReports {
  /**
   * Calls with the committed rows of a turn of the event loop, after their senders have their answers, in the order of the commits. A
   * listener that throws is logged; rows beyond 4,000 of a turn are left out. @returns removes the listener
   */
  listen(listener: (rows: readonly (readonly SqlValue[])[]) => void): () => void;
  /** Rows that were left out, and calls of listeners that failed, since the start. */
  readonly left: number;
  readonly failed: number;
}

/** Summaries, by `SUMMARY_COLUMNS`. */
export const SummaryStored = service<StoredReports>('summary-stored');
/** Full reports, by `FULL_COLUMNS`. */
export const FullStored = service<StoredReports>('full-stored');

/** Host names of agents, as their systems call them. */
export interface HostNames {
  /** Returns names in the order of the agents; null: none was reported. @throws RpcError 103 */
  of(agents: readonly Agent[]): Promise<readonly (string | null)[]>;
}

export const HostNames = service<HostNames>('host-names');

/** The right to know whether and when an agent reports: that to its summaries. */
export const PRESENCE_RIGHT = {
  scope: 'agent_uuid',
  permissions: [{ dynamic_monitoring_summary: 'read' }],
} as const;
