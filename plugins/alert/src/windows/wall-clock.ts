import { BoundedCache } from '@svc/plugin-sdk/util';

const SECOND_MS = 1_000;
/** Time before and after a local time within which its instant lies, whatever the zone. */
const AROUND_MS = 86_400_000;

const formats = new BoundedCache<string, Intl.DateTimeFormat>({ most: 100 });

/** ms by which the clock of a zone is ahead of UTC at an instant. */
export function offsetAt(zone: string, time: number): number {
  const whole = Math.floor(time / SECOND_MS) * SECOND_MS;
  const fields: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(whole)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

/**
 * Returns the instant at which the clock of a zone shows a local time, given as the Unix ms of the same time in UTC: the first
 * of two; where the clock leaves it out, the change.
 */
export function instantOf(zone: string, local: number): number {
  const [from, to] = [local - AROUND_MS, local + AROUND_MS];
  const [before, after] = [offsetAt(zone, from), offsetAt(zone, to)];
  const early = local - before;
  if (before === after || offsetAt(zone, early) === before) return early;
  const late = local - after;
  return offsetAt(zone, late) === after ? late : changeIn(zone, from, to);
}

/** Returns the first instant with another offset than `from`; `to` has another one. */
export function changeIn(zone: string, from: number, to: number): number {
  const offset = offsetAt(zone, from);
  let [low, high] = [Math.floor(from / SECOND_MS), Math.ceil(to / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * SECOND_MS) === offset) low = middle;
    else high = middle;
  }
  return high * SECOND_MS;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
    const calendar = { calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en', { timeZone: zone, ...digits, ...clock, ...calendar });
    formats.set(zone, format);
  }
  return format;
}
