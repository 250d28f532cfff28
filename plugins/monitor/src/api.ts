import type { Severity } from '@svc/plugin-notify/api';
import { type Requirement, service, Type, topic } from '@svc/plugin-sdk';
import type { Bounds } from './store/hours.ts';
import type { Point } from './store/latency.ts';

export * from './types.ts';

/** Monitors were made, changed, switched or deleted. */
export const MonitorChanged = topic('monitor.changed', Type.Object({}));

/** Verdicts became different, at most 200 at a time; states as in `monitor_verdict`. */
export const MonitorVerdict = topic(
  'monitor.verdict',
  Type.Object({
    changes: Type.Array(
      Type.Object({
        monitor_id: Type.Integer(),
        from: Type.Integer(),
        to: Type.Integer(),
        at: Type.Integer({ description: 'Unix ms.' }),
      }),
    ),
  }),
);

/** What a monitor says now, as rules of source `monitor` see it. */
export interface MonitorNow {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly group: string | null;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly severity: 0 | 1 | 2;
  readonly parent: number | null;
  /** Members of a group; empty: it is none. */
  readonly members: readonly number[];
  /** Agents that run its checks, lower-case UUIDs; empty where the server itself is among its places. */
  readonly agents: readonly string[];
  readonly state: 'up' | 'degraded' | 'down' | 'unknown' | 'paused';
  readonly since: number;
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  readonly detail: string;
  readonly ms: number | null;
  /** What is checked, as people read it, without credentials and the query of an address. */
  readonly target: string;
  /** Host that it checks, lower case; empty: none. */
  readonly host: string;
  readonly interval_s: number;
  /** Unix ms of its last result that is stored; null: none. */
  readonly checked_at: number | null;
  /** Tells whether a check failed, and its retries are not over. */
  readonly suspect: boolean;
  /** Time within which a failure that begins now is a verdict, ms. */
  readonly settle_ms: number;
  /** The certificate that ends first: Unix ms of its end, and the length of its life, ms. */
  readonly not_after: number | null;
  readonly lifetime_ms: number | null;
}

/** Monitors are to be checked now, by whichever servers check them. */
export const MonitorDue = topic(
  'monitor.due',
  Type.Object({ ids: Type.Array(Type.Integer(), { maxItems: 5_000 }) }),
);

/** Server that cannot reach the outside: what it checks is unknown. */
export interface IsolatedServer {
  /** Name of its machine. */
  readonly server: string;
  /** Unix ms. */
  readonly since: number;
}

/** Monitors for rules of source `monitor`, and for status pages. */
export interface Monitors {
  /** All enabled monitors with their verdicts, from the database. @throws RpcError 103 */
  now(): Promise<readonly MonitorNow[]>;
  /** Servers that are cut off now, from the database. @throws RpcError 103 */
  isolated(): Promise<readonly IsolatedServer[]>;
}

export const Monitors = service<Monitors>('monitors');

/** Time in which some monitors are not checked, and nothing is said of them. */
export interface MonitorPause {
  /** Names it as it is now: another text after a change of it. */
  readonly key: string;
  readonly name: string;
  /** Unix ms. */
  readonly until: number;
  /** What a caller needs to see the name. */
  readonly needs: Requirement;
  holdsFor(monitor: Pick<MonitorNow, 'name' | 'tags'> & { readonly severity: Severity }): boolean;
}

/** Pauses of monitors that another plugin knows: maintenance windows. */
export interface MonitorPauses {
  /** Pauses that hold now, from memory. */
  active(now: number): readonly MonitorPause[];
}

export const MonitorPauses = service<MonitorPauses>('monitor-pauses');

/** Outage as those see it who follow it. */
export interface MonitorOutage {
  readonly id: number;
  readonly monitor_id: number;
  readonly from_at: number;
  /** null: it goes on. */
  readonly to_at: number | null;
}

/** Monitor as others may name it. */
export interface NamedMonitor {
  readonly id: number;
  readonly name: string;
  readonly public_name: string | null;
}

/** Uptime in a span. */
export interface UpSpan {
  /** Unix ms of its beginning. */
  readonly from: number;
  /** Per cent, never rounded up; null: less than half of the time is known. */
  readonly uptime: number | null;
  readonly down_s: number;
}

/** What a monitor says, and said on the last days of a zone. */
export interface MonitorPast {
  readonly state: 'up' | 'degraded' | 'down' | 'unknown' | 'paused';
  readonly since: number;
  /** All days together. */
  readonly all: UpSpan;
  /** Each day; the last one is today. */
  readonly days: readonly UpSpan[];
}

/** Monitors for pages that show them. */
export interface MonitorHistory {
  /** From memory, some seconds old at most; undefined: there is no such monitor. */
  known(id: number): NamedMonitor | undefined;
  /** From the database. @throws RpcError 103 */
  find(ids: readonly number[]): Promise<ReadonlyMap<number, NamedMonitor>>;
  /** Verdicts now, and uptime of the last days of a zone; those that have gone are left out. @throws RpcError 103 */
  past(
    ids: readonly number[],
    of: { readonly zone: string; readonly days: number },
  ): Promise<ReadonlyMap<number, MonitorPast>>;
  /** Times of checks in steps of whole hours; where nothing was checked there is none. @throws RpcError 103 */
  times(id: number, of: Bounds & { readonly step: number }): Promise<readonly Point[]>;
  /** The newest outage of each of these monitors. @throws RpcError 103 */
  newestOutages(monitors: readonly number[]): Promise<readonly MonitorOutage[]>;
  /** Outages by their ids; those that have gone are left out. @throws RpcError 103 */
  outages(ids: readonly number[]): Promise<readonly MonitorOutage[]>;
}

export const MonitorHistory = service<MonitorHistory>('monitor-history');
