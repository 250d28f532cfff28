import type { DOWN, UNKNOWN, UP } from '@svc/checks';
import type { Severity } from '@svc/plugin-notify/api';

/** `State` is a row of `monitor_state`, `Result` one of `monitor_result`. */
export {
  DOWN,
  type PlaceState,
  type Result,
  type State,
  SUSPECT,
  UNKNOWN,
  UP,
} from '@svc/checks';

/** Kinds of monitors: those that are checked, those that are called (`heartbeat`), and those made of others (`group`). */
export const CHECKED = ['http', 'tcp', 'ping', 'dns', 'tls', 'domain'] as const;
export const KINDS = [...CHECKED, 'heartbeat', 'group'] as const;
export type CheckedKind = (typeof CHECKED)[number];
export type Kind = (typeof KINDS)[number];

/** Places from which a monitor is checked. Agents are lower-case UUIDs; `pick` of them and of those that hold the tags are chosen. */
export interface Places {
  readonly server: boolean;
  readonly agents?: readonly string[];
  readonly tags?: readonly string[];
  readonly pick?: number;
}

/** Settings of a heartbeat: a period or a cron expression in its zone, and its two graces. */
export interface HeartbeatSpec {
  readonly period_s?: number;
  readonly cron?: string;
  readonly zone?: string;
  /** Seconds that a ping, or the start of a run, may be late. */
  readonly grace_s: number;
  /** Seconds that a run may take; absent: runs are not watched. */
  readonly run_grace_s?: number;
  /** Methods that count; absent: HEAD, GET and POST. */
  readonly methods?: readonly ('HEAD' | 'GET' | 'POST')[];
}

/** Settings of a group: its verdict is that of its worst member, of its best one, or down when `down` members are. */
export interface GroupSpec {
  readonly members: readonly number[];
  readonly rule: 'worst' | 'all' | 'count';
  readonly down?: number;
}

/** Row of `monitor`. */
export interface Monitor {
  readonly id: number;
  readonly name: string;
  readonly kind: Kind;
  /** Members of its kind without secrets: a `CheckSpec` of `@svc/checks` without `kind`, `HeartbeatSpec` or `GroupSpec`. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Sealed secrets by field (plugins/notify/src/secrets.ts). */
  readonly secret: Readonly<Record<string, string>>;
  readonly group: string | null;
  readonly tags: readonly string[];
  readonly interval_s: number;
  readonly timeout_s: number;
  /** Failures after the first one until a place says down, `retry_s` seconds apart. */
  readonly retries: number;
  readonly retry_s: number;
  /** Good results until a place that was down says up. */
  readonly recover_after: number;
  readonly places: Places;
  /** Places that must say down; null: more than half of those that know. */
  readonly down_when: number | null;
  /** Condition under which a check is good; null: that of its kind. */
  readonly condition: string | null;
  readonly upside_down: boolean;
  /** Monitor through which this one is reached. */
  readonly parent: number | null;
  readonly severity: Severity;
  readonly public_name: string | null;
  readonly enable: boolean;
  readonly note: string;
  /** Key of the token that wrote it; null: the Super Token. */
  readonly owner: string | null;
  readonly imported_from: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** `place_id` of the server itself; those of agents are their ids in `monitoring_uuid`. */
export const SERVER_PLACE = 0;
/** `place_id` of the verdict where rows of places and of the verdict stand in one table. */
export const VERDICT_PLACE = -1;

/** Some places say down, fewer than `down_when`. */
export const DEGRADED = 4;
/** A maintenance window with `pause`, or a switched-off monitor: nothing is checked. */
export const PAUSED = 5;
export type VerdictState =
  | typeof UP
  | typeof DOWN
  | typeof UNKNOWN
  | typeof DEGRADED
  | typeof PAUSED;

/** Row of `monitor_verdict`: what all places together say. */
export interface Verdict {
  readonly monitor_id: number;
  readonly state: VerdictState;
  readonly since: number;
  /** Places that say up, and down, and those that know nothing. */
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  /** Why it is down, of the place that failed first. */
  readonly detail: string;
  readonly version: number;
}

/** Seconds of a span by verdict, and the times of its checks. */
export interface Span {
  readonly up_s: number;
  readonly degraded_s: number;
  readonly down_s: number;
  readonly unknown_s: number;
  readonly paused_s: number;
  readonly n: number;
  readonly ms_min: number | null;
  readonly ms_p50: number | null;
  readonly ms_p95: number | null;
  readonly ms_max: number | null;
}
