/** What checks of one place need to know of a monitor. */
export interface PlacedMonitor {
  readonly id: number;
  /** Grows with each change of the monitor. */
  readonly version: number;
  readonly interval_s: number;
  readonly timeout_s: number;
  /** Failures after the first one until a place says down, `retry_s` seconds apart. */
  readonly retries: number;
  readonly retry_s: number;
  /** Good results until a place that was down says up. */
  readonly recover_after: number;
  readonly upside_down: boolean;
  /** Token that answers for it, as far as the place knows. */
  readonly owner?: string | null;
}

export const UP = 0;
/** A check failed, and its retries are not over: counts as up. */
export const SUSPECT = 1;
export const DOWN = 2;
export const UNKNOWN = 3;
export type PlaceState = typeof UP | typeof SUSPECT | typeof DOWN | typeof UNKNOWN;

/** One result of one check at one place. */
export interface Result {
  readonly monitor_id: number;
  readonly place_id: number;
  /** Unix ms at which the check was planned to begin. */
  readonly at: number;
  /** False: it failed; null: nothing can be said (the place is cut off). */
  readonly ok: boolean | null;
  /** Time that the check took, ms; null: it did not end. */
  readonly ms: number | null;
  /** Status of HTTP, or null. */
  readonly code: number | null;
  /** Why it failed, at most 300 characters. */
  readonly detail: string | null;
}

/** What one place says. */
export interface State {
  readonly monitor_id: number;
  readonly place_id: number;
  readonly state: PlaceState;
  /** Unix ms of the first result that said so: of a state down, the first failure. */
  readonly since: number;
  readonly last_at: number;
  /** Failures, and good results, in a row. */
  readonly fails: number;
  readonly goods: number;
  readonly ms: number | null;
  readonly code: number | null;
  readonly detail: string;
  readonly changed_at: number;
  readonly version: number;
}
