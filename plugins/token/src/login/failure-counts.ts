/** Time without a failure after which a count is zero again. */
export const FORGET_MS = 600_000;
const FIRST_WINDOW_MS = 250;
const LONGEST_WINDOW_MS = 10_000;
const ROWS = 4;
/** Hex digits of a key that choose its cell in one row. */
const DIGITS = 8;
const MOST = 65_535;

/**
 * Counters of failures by key, in memory of a fixed size (a count-min sketch). No key is evicted: keys that share their cells
 * can only be overcounted, which takes all four cells, and no client can choose them, because a key is a digest that is
 * keyed with this process.
 */
export class FailureCounts {
  readonly #free: number;
  readonly #cells: number;
  readonly #counts: Uint16Array;
  readonly #last: Float64Array;

  /** `free`: failures that cost nothing. `cells`: in one row. */
  constructor({ free, cells }: { readonly free: number; readonly cells: number }) {
    this.#free = free;
    this.#cells = cells;
    this.#counts = new Uint16Array(ROWS * cells);
    this.#last = new Float64Array(ROWS * cells);
  }

  /** Tells whether attempts are to be refused unchecked: 0.25 s after the first failure too many, twice as long after each further one, at most 10 s. */
  isClosed(key: string, now: number): boolean {
    for (let row = 0; row < ROWS; row++) {
      const cell = this.#cell(key, row);
      const over = this.#count(cell, now) - this.#free;
      if (over <= 0 || now >= (this.#last[cell] as number) + windowOf(over)) return false;
    }
    return true;
  }

  count(key: string, now: number): number {
    let least = MOST;
    for (let row = 0; row < ROWS; row++) {
      least = Math.min(least, this.#count(this.#cell(key, row), now));
    }
    return least;
  }

  /** Counts a failure. @returns true when it opened the first window */
  add(key: string, now: number): boolean {
    const count = Math.min(this.count(key, now) + 1, MOST);
    for (let row = 0; row < ROWS; row++) {
      const cell = this.#cell(key, row);
      // Only smaller cells grow, so that other keys that share one are overcounted as little as possible.
      this.#counts[cell] = Math.max(this.#count(cell, now), count);
      this.#last[cell] = now;
    }
    return count === this.#free + 1;
  }

  #count(cell: number, now: number): number {
    return now - (this.#last[cell] as number) > FORGET_MS ? 0 : (this.#counts[cell] as number);
  }

  #cell(key: string, row: number): number {
    const part = Number.parseInt(key.slice(row * DIGITS, (row + 1) * DIGITS), 16);
    return row * this.#cells + (part % this.#cells);
  }
}

const windowOf = (over: number): number =>
  Math.min(FIRST_WINDOW_MS * 2 ** Math.min(over - 1, 16), LONGEST_WINDOW_MS);
