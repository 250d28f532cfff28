import type { Severity } from '@svc/plugin-notify/api';
import { service, Type, topic } from '@svc/plugin-sdk';

export {
  MonitorHistory,
  type MonitorOutage,
  type MonitorPast,
  type NamedMonitor,
  type UpSpan,
} from './history.ts';
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
  /** What is checked, as people read it, without credentials and the query of an address. */
  readonly target: string;
  /** Name or address of the host that is checked, in lower case; empty: there is none. */
  readonly host: string;
  readonly interval_s: number;
  readonly retries: number;
  /** Agents that run its checks, lower-case UUIDs; empty where the server itself is among its places. */
  readonly agents: readonly string[];
  readonly state: 'up' | 'degraded' | 'down' | 'unknown' | 'paused';
  readonly since: number;
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  readonly detail: string;
  readonly ms: number | null;
  /** Unix ms of the last good check, as far as it is stored; null: none, or it is not checked. */
  readonly good_at: number | null;
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
  holdsFor(monitor: Pick<MonitorNow, 'name' | 'tags'> & { readonly severity: Severity }): boolean;
}

/** Pauses of monitors that another plugin knows: maintenance windows. */
export interface MonitorPauses {
  /** Pauses that hold now, from memory. */
  active(now: number): readonly MonitorPause[];
}

export const MonitorPauses = service<MonitorPauses>('monitor-pauses');
