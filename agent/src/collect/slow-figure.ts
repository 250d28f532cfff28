import type { Clock } from '../clock.ts';
import { HourlyWarning } from '../hourly-warning.ts';
import type { Logger } from '../log.ts';

export interface SlowFigureOptions<T> {
  clock: Clock;
  log: Logger;
  name: string;
  ttl_ms: number;
  load: () => Promise<T>;
}

/** Failures in a row after which the latest reading would be an old figure that passes as a present one. */
const MOST_FAILURES = 3;

/**
 * A figure that is slow to read, or whose source may hang. It is read at most once per `ttl_ms`, never twice at a time. A
 * reading that lasts longer than `ttl_ms` counts as a failure for each `ttl_ms`.
 */
export class SlowFigure<T> {
  readonly #options: SlowFigureOptions<T>;
  readonly #warning: HourlyWarning;
  #loading: Promise<void> | undefined;
  #tried_at = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #value: T | undefined;

  constructor(options: SlowFigureOptions<T>) {
    this.#options = options;
    const { clock, log } = options;
    const message = 'a figure cannot be read: after three failures it is left out';
    this.#warning = new HourlyWarning(clock, log, message);
  }

  /** The latest reading; undefined before the first one, and after three failures in a row. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Starts a reading when the last one is older than `ttl_ms`. Resolves when no reading is in progress, undefined when none is; never rejects. */
  refresh(): Promise<void> | undefined {
    const { clock, ttl_ms } = this.#options;
    const now = clock.steady();
    if (now - this.#tried_at < ttl_ms) return this.#loading;
    this.#tried_at = now;
    if (this.#loading) this.#fail('no answer yet');
    else this.#loading = this.#run();
    return this.#loading;
  }

  async #run(): Promise<void> {
    try {
      this.#value = await this.#options.load();
      this.#failures = 0;
    } catch (error) {
      this.#fail(String(error));
    } finally {
      this.#loading = undefined;
    }
  }

  #fail(reason: string): void {
    this.#failures += 1;
    if (this.#failures >= MOST_FAILURES) this.#value = undefined;
    this.#warning.log({ figure: this.#options.name, reason });
  }
}
