import {
  type Alert,
  type AlertEvent,
  type AlertKey,
  CLOSED,
  OPEN,
  PENDING,
  type Transition,
} from '../types.ts';

const FLAP_MS = 86_400_000;
const MOST_FLAPS = 21;

/** Row of an alert as it is written: without what the database gives. */
export type Written = Omit<Alert, 'id' | 'version'>;

/** Tells whether an episode begins. Back from `clearing` it goes on. */
export const opens = (from: Alert | undefined, to: Transition['to']): boolean =>
  to === OPEN && (from === undefined || from.state === CLOSED || from.state === PENDING);

/** Tells whether an episode ends. */
export const ends = (from: Alert | undefined, to: Transition['to']): boolean =>
  to === CLOSED && from !== undefined && from.state > PENDING;

/** Tells whether a row goes that never opened: kept, each part that a machine ever named would stay for a week. */
export const vanishes = ({ from, to }: Transition): boolean =>
  to === CLOSED && from?.state === PENDING && from.episode === 0;

/** Returns the place of an alert alone. */
export const keyOf = ({ rule_id, subject_kind, subject_id, part }: AlertKey): AlertKey => ({
  rule_id,
  subject_kind,
  subject_id,
  part,
});

/** Returns a detail of history with the name that the alert's monitor has at that time. */
export const withSubject = <T extends object>(
  { detail: { subject } }: Pick<Alert, 'detail'>,
  detail: T,
): T => (subject === undefined ? detail : { ...detail, subject });

/** Returns the change that ends an alert, with the values that it has. */
export function endOf(alert: Alert, at: number): Transition {
  const { since, true_ms, false_ms, value, detail } = alert;
  const judged = { since, at, true_ms, false_ms, value, detail };
  return { ...keyOf(alert), from: alert, to: CLOSED, ...judged };
}

/** Returns the row after a change. */
export function nextRow(change: Transition, now: number): Written {
  const { from, to, since, at, true_ms, false_ms, value, detail } = change;
  const judged = { since, true_ms, false_ms, value, detail, state: to, updated_at: now };
  const before = from ?? NEW;
  const { opened_at, closed_at, episode, told, flaps, next_at } = before;
  const kept = { ...ackOf(before), opened_at, closed_at, episode, told, flaps, next_at };
  const row = { ...keyOf(change), ...kept, ...judged };
  if (opens(from, to)) {
    const openings = [...flaps.filter((time) => time > at - FLAP_MS), at].slice(-MOST_FLAPS);
    const begun = { opened_at: at, closed_at: null, told: null, next_at: null };
    return { ...row, ...NO_ACK, ...begun, episode: episode + 1, flaps: openings };
  }
  if (from && ends(from, to)) {
    // The row keeps what it opened with; the values at the end stand in the history.
    const { note, meaning } = detail;
    const said = { ...(note && { note }), ...(meaning !== undefined && { meaning }) };
    const opening = { value: from.value, detail: { ...from.detail, ...said } };
    const closed_at = change.ended_at ?? at;
    return { ...row, ...NO_ACK, ...opening, closed_at, next_at: null };
  }
  return row;
}

/** Kind of the row of history that goes with a change; undefined: none does. */
export function eventKind({ from, to, expired }: Transition): AlertEvent['kind'] | undefined {
  if (opens(from, to)) return 'opened';
  if (!ends(from, to)) return undefined;
  return expired ? 'expired' : 'closed';
}

const NO_ACK = { acked_by: null, acked_at: null, acked_until: null, ack_note: null };
const NEW = {
  ...NO_ACK,
  opened_at: null,
  closed_at: null,
  episode: 0,
  told: null,
  flaps: [] as readonly number[],
  next_at: null,
};

const ackOf = ({ acked_by, acked_at, acked_until, ack_note }: Alert | typeof NEW) => ({
  acked_by,
  acked_at,
  acked_until,
  ack_note,
});
