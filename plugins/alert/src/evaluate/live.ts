import type { Verdict } from '@svc/conditions';
import {
  type Alert,
  type AlertDetail,
  type AlertKey,
  CLEARING,
  CLOSED,
  type LoadedRule,
  OPEN,
  PENDING,
  type Transition,
} from '../types.ts';
import { clearHold, type Held, REST, step } from './machine.ts';

/** Difference between what the clock and the monotonic clock say passed, from which on the clock was set, ms. */
const JUMP_MS = 5_000;

/** One alert in the memory of this server. */
export interface Live {
  readonly key: AlertKey;
  /** Row as it was read or written last; undefined: there is none. */
  row: Alert | undefined;
  held: Held;
  /** Monotonic time of the last evaluation, ms. */
  lastAt: number;
  /** Unix ms of the last evaluation. */
  wallAt: number;
  /** `meaning` of the rule by which it was judged. */
  meaning: number;
  /** Monotonic time at which its row was written last, ms. */
  storedAt: number;
  /** A change is on its way to the database: nothing is judged meanwhile. */
  isWriting: boolean;
  value: number | null;
  detail: AlertDetail;
}

/** Time of an evaluation, ms: Unix, monotonic, and from which distance on it is a gap. */
export interface Moment {
  readonly at: number;
  readonly now: number;
  readonly gap_after_ms: number;
}

/** Results of a rule on one subject. */
export interface Judged {
  readonly condition: Verdict;
  /** Judges whether the end begins. */
  readonly clear: () => Verdict;
  readonly facts: () => { readonly value: number | null; readonly detail: AlertDetail };
}

export const heldOf = ({ state, since, true_ms, false_ms }: Alert): Held => ({
  state,
  since,
  true_ms,
  false_ms,
  gap_ms: 0,
});

/** Takes the row as it is in the database; a hold that goes on here stays as far as it has come. */
export function adopt(live: Live, row: Alert): void {
  live.row = row;
  if (live.held.state !== row.state) live.held = heldOf(row);
}

export function liveOf(
  key: AlertKey,
  row: Alert | undefined,
  { at, now }: { at: number; now: number },
): Live {
  return {
    key,
    row,
    held: row ? heldOf(row) : REST,
    // The time since another server, or this one before a start, judged it.
    lastAt: row ? now - Math.max(0, at - row.updated_at) : now,
    wallAt: row ? Math.min(at, row.updated_at) : at,
    meaning: row?.detail.meaning ?? -1,
    storedAt: -Infinity,
    isWriting: false,
    value: row?.value ?? null,
    detail: row?.detail ?? {},
  };
}

/** Judges an alert anew. @returns the change that has to be stored; undefined: none */
export function judge(
  live: Live,
  { rule }: LoadedRule,
  judged: Judged,
  moment: Moment,
): Transition | undefined {
  if (live.isWriting) return undefined;
  if (live.meaning !== rule.meaning) beginAnew(live, rule.meaning);
  const { at, now, gap_after_ms } = moment;
  const isEnding = live.held.state === OPEN || live.held.state === CLEARING;
  const { condition } = judged;
  const clear =
    !isEnding || condition === true ? false : condition === undefined ? undefined : judged.clear();
  const seen = { condition, clear, at, elapsed_ms: Math.max(0, now - live.lastAt), gap_after_ms };
  // A hold began when it began, by the clock as it is now.
  const jump = at - live.wallAt - seen.elapsed_ms;
  if (live.held.state === PENDING && Math.abs(jump) > JUMP_MS)
    live.held = { ...live.held, since: live.held.since + jump };
  [live.lastAt, live.wallAt] = [now, at];
  const flaps = live.row?.flaps ?? [];
  live.held = step(live.held, seen, {
    for_ms: rule.for_s * 1_000,
    clear_for_ms: clearHold(rule.clear_for_s * 1_000, flaps, at),
  });
  return changeOf(live, judged, at);
}

/** A rule that says something else now: what was held so far was held for something else. */
function beginAnew(live: Live, meaning: number): void {
  const isKnown = live.meaning >= 0;
  live.meaning = meaning;
  if (!isKnown) return;
  if (live.held.state === PENDING) live.held = REST;
  if (live.held.state === CLEARING)
    live.held = { ...live.held, state: OPEN, true_ms: 0, false_ms: 0 };
}

function changeOf(live: Live, judged: Judged, at: number): Transition | undefined {
  const { state } = live.held;
  const stored = live.row?.state ?? CLOSED;
  if (state === PENDING) {
    if (live.held.true_ms === 0 && live.held.false_ms === 0) note(live, judged);
    return undefined;
  }
  if (state === stored) return undefined;
  note(live, judged);
  return transitionOf(live, at);
}

function note(live: Live, judged: Judged): void {
  const { row, held } = live;
  // Value and detail of the opening stay until the alert is over.
  const isOpen = row !== undefined && row.state >= OPEN && held.state >= OPEN;
  const { value, detail } = isOpen ? row : judged.facts();
  live.value = value;
  live.detail = { ...detail, meaning: live.meaning };
}

/** Returns the change that brings the stored row to what is in memory. */
export function transitionOf({ key, row, held, value, detail }: Live, at: number): Transition {
  const { state: to } = held;
  return {
    ...key,
    from: row,
    to,
    since: Math.round(to === CLOSED ? (row?.since ?? held.since) : held.since),
    at,
    true_ms: Math.round(held.true_ms),
    false_ms: Math.round(held.false_ms),
    value,
    detail,
  };
}
