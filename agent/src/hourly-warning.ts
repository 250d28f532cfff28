import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

const AGAIN_AFTER_MS = 3_600_000;

/** One kind of failure that may repeat: logged at once, then at most once an hour, with the number of times in between. */
export class HourlyWarning {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #message: string;
  #logged_at = Number.NEGATIVE_INFINITY;
  #repeated = 0;

  constructor(clock: Clock, log: Logger, message: string) {
    this.#clock = clock;
    this.#log = log;
    this.#message = message;
  }

  log(facts: Record<string, unknown>): void {
    const now = this.#clock.steady();
    if (now - this.#logged_at < AGAIN_AFTER_MS) {
      this.#repeated += 1;
      return;
    }
    this.#logged_at = now;
    this.#log.warn(this.#message, {
      ...facts,
      ...(this.#repeated > 0 && { repeated: this.#repeated }),
    });
    this.#repeated = 0;
  }
}
