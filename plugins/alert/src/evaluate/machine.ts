import type { Verdict } from '@svc/conditions';
import { CLEARING, CLOSED, OPEN, PENDING, type State } from '../types.ts';

/** Seconds that a hold may be interrupted for, together: two, or a tenth of the hold. */
const LEAST_SLACK_MS = 2_000;
const SLACK_SHARE = 0.1;
/** A true second takes this share of a false one back. */
const FORGIVEN = 1 / 9;
/** Longest gap over which a pending alert waits. */
const LONGEST_GAP_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
/** Openings within an hour from which on an alert flaps, and its end is held longer. */
export const MANY_OPENINGS = 4;
const LEAST_LONG_HOLD_MS = 30_000;

/** State of one alert, and how far its hold has come. */
export interface Held {
  readonly state: State;
  /** Unix ms: when the condition began to hold; gaps move it on while the alert is pending. */
  readonly since: number;
  /** Time of this hold in which its condition held, and in which it did not, ms. */
  readonly true_ms: number;
  readonly false_ms: number;
  /** Length of the gap that lasts, ms. */
  readonly gap_ms: number;
}

export const REST: Held = { state: CLOSED, since: 0, true_ms: 0, false_ms: 0, gap_ms: 0 };

/** One evaluation. */
export interface Seen {
  /** Tells whether the condition holds; undefined: a value is missing. */
  readonly condition: Verdict;
  /** Tells whether the condition of the end holds; looked at while the alert is open or clearing. */
  readonly clear: Verdict;
  /** Unix ms. */
  readonly at: number;
  /** Time since the evaluation before this one, by a clock that only grows, ms. */
  readonly elapsed_ms: number;
  /** Time between two evaluations from which on it is a gap, ms. */
  readonly gap_after_ms: number;
}

export interface Holds {
  readonly for_ms: number;
  readonly clear_for_ms: number;
}

/** Returns the state after an evaluation; the same object where nothing changed. */
export function step(held: Held, seen: Seen, holds: Holds): Held {
  const isHolding = held.state === PENDING || held.state === CLEARING;
  const isEnding = held.state === OPEN || held.state === CLEARING;
  const verdict = isEnding ? seen.clear : seen.condition;
  if (seen.condition === undefined || verdict === undefined) {
    return isHolding ? stand(held, seen.elapsed_ms) : held;
  }
  if (!isHolding) return verdict ? begin(held, seen, holds) : held;
  if (seen.elapsed_ms <= seen.gap_after_ms) return hold(held, verdict, seen.elapsed_ms, holds);
  const stood = stand(held, seen.elapsed_ms);
  // A gap that was too long ends a pending alert; what is seen now is judged as the first.
  if (stood.state === CLOSED) return verdict ? begin(stood, seen, holds) : stood;
  return hold(stood, verdict, 0, holds);
}

/** Has the clock of a hold stand still. */
function stand(held: Held, elapsed_ms: number): Held {
  const gap_ms = held.gap_ms + elapsed_ms;
  if (held.state !== PENDING) return { ...held, gap_ms };
  if (gap_ms > LONGEST_GAP_MS) return REST;
  return { ...held, gap_ms, since: held.since + elapsed_ms };
}

function begin({ state, since }: Held, { at }: Seen, { for_ms, clear_for_ms }: Holds): Held {
  const fresh = { true_ms: 0, false_ms: 0, gap_ms: 0 };
  if (state === CLOSED) return { ...fresh, state: for_ms > 0 ? PENDING : OPEN, since: at };
  return { ...fresh, state: clear_for_ms > 0 ? CLEARING : CLOSED, since };
}

function hold(held: Held, verdict: boolean, elapsed_ms: number, holds: Holds): Held {
  const isPending = held.state === PENDING;
  const hold_ms = isPending ? holds.for_ms : holds.clear_for_ms;
  const true_ms = held.true_ms + (verdict ? elapsed_ms : 0);
  const false_ms = Math.max(0, held.false_ms + (verdict ? -FORGIVEN * elapsed_ms : elapsed_ms));
  const { since } = held;
  const done = { since, true_ms: 0, false_ms: 0, gap_ms: 0 };
  if (verdict && true_ms >= hold_ms) return { ...done, state: isPending ? OPEN : CLOSED };
  if (false_ms > Math.max(LEAST_SLACK_MS, hold_ms * SLACK_SHARE)) {
    return isPending ? REST : { ...done, state: OPEN };
  }
  return { state: held.state, since, true_ms, false_ms, gap_ms: 0 };
}

/** Returns for how long an end has to hold: doubled with each opening beyond the third within an hour, up to an hour. */
export function clearHold(clear_for_ms: number, openings: readonly number[], now: number): number {
  const recent = openings.filter((at) => at > now - HOUR_MS).length;
  if (recent < MANY_OPENINGS) return clear_for_ms;
  const long = Math.max(clear_for_ms, LEAST_LONG_HOLD_MS) * 2 ** (recent - MANY_OPENINGS + 1);
  return Math.max(clear_for_ms, Math.min(long, HOUR_MS));
}

/** Time between two evaluations from which on nothing is known of what was between them. */
export const gapAfter = (usual_ms: number): number => Math.max(3 * usual_ms, 15_000);
