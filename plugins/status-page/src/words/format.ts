import { fill } from '../view/escape.ts';
import type { Words } from './en.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Times and numbers of one language, in UTC: the page's script shows readers their own zone. */
export class Format {
  readonly #clock: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #full: Intl.DateTimeFormat;
  readonly #words: Words;

  constructor(words: Words) {
    const of = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(words.code === 'en' ? 'en-GB' : words.code, {
        timeZone: 'UTC',
        ...options,
      });
    const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    this.#clock = of(clock);
    this.#day = of({ day: 'numeric', month: 'short' });
    this.#full = of({ day: 'numeric', month: 'short', year: 'numeric', ...clock });
    this.#words = words;
  }

  /** As short as it is clear at `now`: without the day today. */
  time(time: number, now: number): string {
    const sameDay = Math.floor(time / DAY_MS) === Math.floor(now / DAY_MS);
    return `${(sameDay ? this.#clock : this.#full).format(time)} UTC`;
  }

  clock(time: number): string {
    return this.#clock.format(time);
  }

  day(time: number): string {
    return this.#day.format(time);
  }

  /** A part of a whole, never rounded up to all of it. */
  share(part: number): string {
    const floored = Math.floor(part * 10_000 + 1e-9) / 100;
    return `${floored === 100 ? '100' : floored.toFixed(2)}\u00a0%`;
  }

  /** A part that should be small, never rounded down to nothing. */
  loss(part: number): string {
    if (part === 0) return '0\u00a0%';
    const percent = part * 100;
    return `${percent < 0.1 ? '<\u00a00.1' : percent.toFixed(percent < 10 ? 1 : 0)}\u00a0%`;
  }

  /** At least a minute. */
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
