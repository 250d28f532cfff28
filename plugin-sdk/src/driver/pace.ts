import type { AppenderOptions } from '../sql/database.ts';
import type { Fifo } from './fifo.ts';
import type { Entry } from './sink.ts';

/** Rows with which a batch closes as soon as the sink is idle: more would hardly make a row cheaper. */
const ENOUGH_ROWS = 64;

/** Decides when the rows of a queue have waited long enough for others that share their commit. */
export class Pace {
  readonly #wait_ms: number;
  readonly #enough: number;
  /** Rows below this number wait no longer. */
  #dueBelow = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ maxBatchRows, capacityRows, wait_ms = 0 }: AppenderOptions) {
    this.#wait_ms = wait_ms;
    this.#enough = Math.min(ENOUGH_ROWS, maxBatchRows, capacityRows);
  }

  isDue(queue: Fifo<Entry>): boolean {
    const first = queue.peek();
    if (!first) return false;
    return this.#wait_ms === 0 || queue.length >= this.#enough || first.seq < this.#dueBelow;
  }

  /** Rows below the number `seq` wait no longer. */
  hurry(seq: number): void {
    this.#dueBelow = Math.max(this.#dueBelow, seq);
  }

  /** Calls `due` when the first row has waited for `wait_ms`; one timer at a time. */
  wait(first: Entry, due: () => void): void {
    if (this.#timer) return;
    const left_ms = first.at + this.#wait_ms - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.hurry(first.seq + 1);
        due();
      },
      Math.max(left_ms, 1),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
