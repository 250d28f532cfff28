import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

export interface SlowFigureOptions<T> {
  clock: Clock;
  log: Logger;
  name: string;
  ttl_ms: number;
  /** The value before the first reading. */
  initial: T;
  load: () => Promise<T>;
}

/** A figure that is slow to read, or whose source may hang. It is read at most once per `ttl_ms`, never twice at a time. */
export class SlowFigure<T> {
  readonly #options: SlowFigureOptions<T>;
  #loading: Promise<void> | undefined;
  #read_at = Number.NEGATIVE_INFINITY;
  #value: T;

  constructor(options: SlowFigureOptions<T>) {
    this.#options = options;
    this.#value = options.initial;
  }

  /** The latest reading. */
  get value(): T {
    return this.#value;
  }

  /** Starts a reading when the last one is older than `ttl_ms`. Resolves when no reading is in progress; never rejects. */
  refresh(): Promise<void> {
    if (this.#loading) return this.#loading;
    const { clock, ttl_ms } = this.#options;
    if (clock.steady() - this.#read_at < ttl_ms) return Promise.resolve();
    this.#read_at = clock.steady();
    this.#loading = this.#run();
    return this.#loading;
  }

  async #run(): Promise<void> {
    const { load, log, name } = this.#options;
    try {
      this.#value = await load();
    } catch (error) {
      log.warn('cannot read a figure, the last one stays', { figure: name, reason: String(error) });
    } finally {
      this.#loading = undefined;
    }
  }
}
