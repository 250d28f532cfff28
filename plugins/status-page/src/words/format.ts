import { fill } from '../view/fill.ts';
import type { Words } from './en.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Times and numbers of one language, in UTC: the page's script shows readers their own zone. */
export class Format {
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  /** Formats a time as short as it is clear at `now`: without the day today. */
  time(time: number, now: number): string {
    const sameDay = Math.floor(time / DAY_MS) === Math.floor(now / DAY_MS);
    return `${sameDay ? this.clock(time) : this.#fill(this.#words.dateTime, time)} UTC`;
  }

  clock(time: number): string {
    return new Date(time).toISOString().slice(11, 16);
  }

  day(time: number): string {
    return this.#fill(this.#words.date, time);
  }

  // `Intl` would hold the event loop for a tenth of a second when it is used first.
  #fill(form: string, time: number): string {
    const date = new Date(time);
    const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    const month = this.#words.months.split(' ')[m] as string;
    return fill(form, { y: String(y), month, d: String(d), clock: this.clock(time) });
  }

  /** A part of a whole, never rounded up to all of it. */
  share(part: number): string {
    const floored = Math.floor(part * 10_000 + 1e-9) / 100;
    return `${floored === 100 ? '100' : floored.toFixed(2)}%`;
  }

  /** A part that should be small, never rounded down to nothing. */
  loss(part: number): string {
    if (part === 0) return '0%';
    const percent = part * 100;
    return `${percent < 0.1 ? '<0.1' : percent.toFixed(percent < 10 ? 1 : 0)}%`;
  }

  /** Formats a duration, of at least a minute. */
  span(ms: number): string {
    const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
    const [h, m] = [Math.floor(minutes / 60), minutes % 60];
    const { minutes: short, hours, wholeHours } = this.#words;
    const form = h === 0 ? short : m === 0 ? wholeHours : hours;
    return fill(form, { h: String(h), m: String(m) });
  }

  latency(ms: number): string {
    return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}\u00a0ms`;
  }
}
