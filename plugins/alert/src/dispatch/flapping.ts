import { MANY_OPENINGS } from '../evaluate/machine.ts';
import { type Alert, CLOSED, type Rule } from '../types.ts';

const HOUR_MS = 3_600_000;
const LEAST_CALM_MS = 600_000;

/** Time in one state after which an alert does not flap any more, ms. */
export const calmOf = ({ clear_for_s }: Pick<Rule, 'clear_for_s'>): number =>
  Math.max(LEAST_CALM_MS, 2 * clear_for_s * 1_000);

/** Openings in the hour up to this time. */
const openingsBefore = ({ flaps }: Pick<Alert, 'flaps'>, time: number): readonly number[] =>
  flaps.filter((at) => at > time - HOUR_MS && at <= time);

/** Tells whether single messages about an alert are left out, because it opens again and again. */
export function isFlapping(
  alert: Pick<Alert, 'flaps' | 'state' | 'opened_at' | 'closed_at'>,
  rule: Pick<Rule, 'clear_for_s'>,
  now: number,
): boolean {
  const opened = alert.flaps.at(-1);
  if (opened === undefined || openingsBefore(alert, opened).length < MANY_OPENINGS) return false;
  const since = alert.state === CLOSED ? (alert.closed_at ?? now) : (alert.opened_at ?? now);
  return now - since < calmOf(rule);
}

/** Returns how often it opened within the hour, and the time from the first of these openings on. */
export function flapsOf(
  alert: Pick<Alert, 'flaps'>,
  now: number,
): { readonly times: number; readonly ms: number } {
  const openings = openingsBefore(alert, now);
  return { times: openings.length, ms: Math.max(60_000, now - (openings[0] ?? now)) };
}

/** Text of it in the history: `4 times in 40 min`. */
export const flapText = ({ times, ms }: ReturnType<typeof flapsOf>): string =>
  `${times} times in ${Math.round(ms / 60_000)} min`;

export const SUMMARY_MS = HOUR_MS;
