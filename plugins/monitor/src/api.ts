import { service, Type, topic } from '@svc/plugin-sdk';

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
  /** Agents that run its checks, lower-case UUIDs; empty where the server itself is among its places. */
  readonly agents: readonly string[];
  readonly state: 'up' | 'degraded' | 'down' | 'unknown' | 'paused';
  readonly since: number;
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  readonly detail: string;
  readonly ms: number | null;
  /** Host that it checks, lower case; empty: none. */
  readonly host: string;
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
