import type { Clock } from '../clock.ts';

const MINUTE_MS = 60_000;
/** Keys that are told apart at a time; further ones share one place. */
const MOST_KEYS = 1_000;

/** Throttle of what repeats, such as a warning: of each key the first passes, then one a period, by default a minute. */
export class Throttle {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #period_ms: number;
  /** Last passes by key, the oldest first. */
  readonly #passed = new Map<string, { readonly at: number; suppressed: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, period_ms = MINUTE_MS) {
    this.#clock = clock;
    this.#period_ms = period_ms;
  }

  /** @returns how many of this key were suppressed since the last that passed; undefined: this one is suppressed, too */
  pass(key = ''): number | undefined {
    const now = this.#clock.monotonic();
    const place = this.#placeOf(key, now);
    const last = this.#passed.get(place);
    if (last && now - last.at < this.#period_ms) {
      last.suppressed++;
      return undefined;
    }
    this.#passed.delete(place);
    this.#passed.set(place, { at: now, suppressed: 0 });
    return last?.suppressed ?? 0;
  }

  /** The key's own place, or the one of all that are beyond the bound. */
  #placeOf(key: string, now: number): string {
    if (this.#passed.has(key)) return key;
    if (this.#passed.size >= MOST_KEYS) this.#removeOld(now);
    return this.#passed.size < MOST_KEYS ? key : '';
  }

  #removeOld(now: number): void {
    for (const [key, { at }] of this.#passed) {
      if (now - at < this.#period_ms) return;
      this.#passed.delete(key);
    }
  }
}
