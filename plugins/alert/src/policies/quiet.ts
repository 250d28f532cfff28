import { BoundedCache } from '@svc/plugin-sdk/util';
import type { Policy } from '../types.ts';

const DAY_MINUTES = 1_440;
/** A day with a change of clocks is an hour or two longer. */
const MOST_MINUTES = DAY_MINUTES + 180;
const MINUTE_MS = 60_000;

const formats = new BoundedCache<string, Intl.DateTimeFormat>({ most: 100 });

/** Minute of the day on the clock of a zone. */
function minuteIn(zone: string, time: number): number {
  let format = formats.get(zone);
  if (!format) {
    const options = {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    } as const;
    format = new Intl.DateTimeFormat('en', options);
    formats.set(zone, format);
  }
  const [hours = 0, minutes = 0] = format.format(time).split(':').map(Number);
  return hours * 60 + minutes;
}

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Returns the Unix ms at which the quiet hours end in which this time lies; undefined: it lies in none. */
export function quietUntil(quiet: Policy['quiet'], now: number): number | undefined {
  if (!quiet) return undefined;
  const [from, to] = [minuteOf(quiet.from), minuteOf(quiet.to)];
  const isQuiet = (minute: number) =>
    from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  const start = now - (now % MINUTE_MS);
  if (!isQuiet(minuteIn(quiet.zone, now))) return undefined;
  // The clock of the zone may change within: steps of a minute find the end in any case, and the first guess nearly always does.
  const left = (to - minuteIn(quiet.zone, now) + DAY_MINUTES) % DAY_MINUTES;
  const guess = start + left * MINUTE_MS;
  if (minuteIn(quiet.zone, guess) === to) return guess;
  for (let minute = 1; minute <= MOST_MINUTES; minute++) {
    const time = start + minute * MINUTE_MS;
    if (!isQuiet(minuteIn(quiet.zone, time))) return time;
  }
  return start + MOST_MINUTES * MINUTE_MS;
}
