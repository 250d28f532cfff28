import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

const AGAIN_AFTER_MS = 60_000;
const MAX_KINDS = 32;

/** Logs the server's error answers. An error that repeats every second is logged once a minute, with its count. */
export class ErrorLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #seen = new Map<string, { logged_at: number; repeated: number }>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  log(code: unknown, message: string): void {
    const key = `${code} ${message}`;
    const earlier = this.#seen.get(key);
    const now = this.#clock.steady();
    if (earlier && now - earlier.logged_at < AGAIN_AFTER_MS) {
      earlier.repeated += 1;
      return;
    }
    const repeated = earlier?.repeated ? { repeated: earlier.repeated } : {};
    this.#log.error('the server answered with an error', { code, message, ...repeated });
    if (this.#seen.size >= MAX_KINDS) this.#seen.clear();
    this.#seen.set(key, { logged_at: now, repeated: 0 });
  }
}
