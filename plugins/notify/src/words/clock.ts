import { BoundedCache } from '@svc/plugin-sdk/util';
import { en, type Words } from './en.ts';
import { fill } from './fill.ts';

const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];

/** Formatters of zones: making one takes longer than all its uses. */
const formatters = new BoundedCache<string, Intl.DateTimeFormat>({ most: 100 });

/** @throws RangeError for a name that is no zone */
function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = formatters.get(zone);
  if (kept) return kept;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const form = { ...numeric, ...clock, timeZone: zone, hourCycle: 'h23' } as const;
  const made = new Intl.DateTimeFormat('en-US', form);
  formatters.set(zone, made);
  return made;
}

/** Local time of a zone, as a `Date` whose UTC members are those of the zone. */
function localOf(time: number, zone: string): Date {
  const part: { [type: string]: number } = {};
  for (const { type, value } of formatterOf(zone).formatToParts(time)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** Distance of the zone from UTC at that time: `UTC+1`, `UTC−3:30`. */
export function offsetOf(time: number, zone: string): string {
  const whole = Math.floor(time / SECOND) * SECOND;
  const minutes = Math.round((localOf(time, zone).getTime() - whole) / MINUTE);
  if (minutes === 0) return 'UTC';
  const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '−' : '+'}${h}${m === 0 ? '' : `:${String(m).padStart(2, '0')}`}`;
}

/** Formats times of one language and zone. */
export class Clock {
  readonly #words: Words;
  readonly zone: string;
  readonly now: number;

  constructor(words: Words, zone: string, now: number) {
    this.#words = words;
    this.zone = zone;
    this.now = now;
  }

  /** Formats a time as short as it is clear now: without the day today. */
  short(time: number): string {
    const local = localOf(time, this.zone);
    const today = localOf(this.now, this.zone).toISOString().slice(0, 10);
    const clock = local.toISOString().slice(11, 16);
    if (local.toISOString().slice(0, 10) === today) return clock;
    return fill(this.#words.dateTime, { date: this.#date(local, this.#words.date), clock });
  }

  /** Formats the day of a time; another year than this one is named. */
  day(time: number): string {
    const [local, now] = [localOf(time, this.zone), localOf(this.now, this.zone)];
    const isThisYear = local.getUTCFullYear() === now.getUTCFullYear();
    return this.#date(local, isThisYear ? this.#words.date : this.#words.fullDate);
  }

  /** Formats a time with its day, seconds and distance from UTC. */
  long(time: number): string {
    const local = localOf(time, this.zone);
    const date = this.#date(local, this.#words.fullDate);
    const clock = local.toISOString().slice(11, 19);
    return `${fill(this.#words.dateTime, { date, clock })} ${offsetOf(time, this.zone)}`;
  }

  span(ms: number): string {
    return spanOf(ms, this.#words);
  }

  #date(local: Date, form: string): string {
    const month = this.#words.months.split(' ')[local.getUTCMonth()] ?? '';
    return fill(form, { d: `${local.getUTCDate()}`, month, y: `${local.getUTCFullYear()}` });
  }
}

/** Words, and the times that go into them. */
export interface Speech {
  readonly words: Words;
  readonly clock: Clock;
}

/** Formats a duration in words, in at most two units. */
export function spanOf(ms: number, words: Words = en): string {
  if (!(ms >= MINUTE)) return fill(words.seconds, { s: `${Math.max(0, Math.floor(ms / SECOND))}` });
  const minutes = Math.floor(ms / MINUTE);
  const [h, m] = [Math.floor(minutes / 60), minutes % 60];
  if (h === 0) return fill(words.minutes, { m: `${m}` });
  if (h < 48) return fill(m === 0 ? words.wholeHours : words.hours, { h: `${h}`, m: `${m}` });
  const [d, rest] = [Math.floor(ms / DAY), h % 24];
  return fill(rest === 0 ? words.wholeDays : words.days, { d: `${d}`, h: `${rest}` });
}
