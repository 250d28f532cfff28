/** The memory of this process is looked at so often while a statement runs, ms. */
const LOOK_MS = 20;

/** `code` of the error of a statement that took too much memory. */
export const MEMORY_LIMIT = 'MEMORY_LIMIT';

/**
 * Watches the memory of this process while a statement runs in another thread of it. SQLite's own limit does nothing:
 * the library is built without counting memory. `exceeded` is called when the statement takes more than `most` bytes
 * on top of what the process had when it began, or on top of `most` where it had more.
 */
export class MemoryLimit {
  readonly #most: number;
  readonly #exceeded: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, exceeded: () => void) {
    this.#most = most;
    this.#exceeded = exceeded;
  }

  begin(): void {
    const most = Math.min(process.memoryUsage.rss(), this.#most) + this.#most;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (process.memoryUsage.rss() <= most) return;
      this.end();
      this.#exceeded();
    }, LOOK_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
