import type { Clock } from '@svc/plugin-sdk';

const WINDOW_MS = 10_000;
const PER_WINDOW = 5;

/** Counts refused logins, of which five in ten seconds are logged. */
export class Refusals {
  readonly #clock: Clock;
  #until = 0;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns refusals that were left out since the last one that was logged; undefined: leave this one out too */
  admit(): number | undefined {
    const now = this.#clock.monotonic();
    const left_out = Math.max(0, this.#count - PER_WINDOW);
    if (now >= this.#until) {
      this.#until = now + WINDOW_MS;
      this.#count = 1;
      return left_out;
    }
    this.#count++;
    return this.#count <= PER_WINDOW ? 0 : undefined;
  }
}
