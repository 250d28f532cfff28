import { DAY_MS } from '../steps.ts';

/** A longer gap counts on its last day. */
const MOST_DAYS = 60;

/** UTC days since 1970. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** Bytes between two times as parts of their days, in proportion to the time. */
export function perDay(bytes: number, from: number, to: number): [day: number, bytes: number][] {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (bytes === 0) return [];
  if (first >= last || last - first > MOST_DAYS) return [[last, bytes]];
  const parts: [number, number][] = [];
  let left = bytes;
  for (let day = first; day < last; day++) {
    const part = Math.floor(
      (bytes * ((day + 1) * DAY_MS - Math.max(from, day * DAY_MS))) / (to - from),
    );
    parts.push([day, part]);
    left -= part;
  }
  parts.push([last, left]);
  return parts;
}

/** The day on which the month of a day begins, where months begin on this day of the calendar's (1 to 28). */
export function monthOf(day: number, monthDay: number): number {
  const date = new Date(day * DAY_MS);
  const back = date.getUTCDate() < monthDay ? 1 : 0;
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, monthDay));
}
