const BOUND = 64 * 1024 * 1024;
const RESUME = 48 * 1024 * 1024;

/** Longer messages do not count: the connection of one is not read until that is let in, and then it has a budget of its own. */
export const LONG_BYTES = 256 * 1024;

/**
 * Bytes of unanswered requests, over all connections. Beyond the bound no connection is read further until some are
 * answered: a slow database makes senders slow instead of filling the memory.
 */
export class UnansweredBytes {
  #bytes = 0;
  /** Called once when there is room again, and forgotten then. */
  readonly whenRoom = new Set<{ steer(): void }>();

  add(bytes: number): void {
    if (bytes <= LONG_BYTES) this.#bytes += bytes;
  }

  done(bytes: number): void {
    if (bytes <= LONG_BYTES) this.#bytes -= bytes;
    if (this.#bytes > RESUME || this.whenRoom.size === 0) return;
    const waiting = [...this.whenRoom];
    this.whenRoom.clear();
    for (const waiter of waiting) waiter.steer();
  }

  get full(): boolean {
    return this.#bytes > BOUND;
  }
}

/** Places for JSON-RPC connections and requests (conventions.md §1). */
export class Slots {
  readonly #limit: () => number;
  used = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit();
  }

  /**
   * Beyond the limit a few places are kept, so that an operator is never locked out. `reserved`: POST and the Unix
   * socket may take all of them, other sockets every second.
   */
  acquire(reserved: boolean): boolean {
    const kept = Math.min(100, Math.floor(this.limit / 100));
    if (this.used >= this.limit + (reserved ? kept : Math.floor(kept / 2))) return false;
    this.used++;
    return true;
  }

  readonly release = (): void => {
    this.used--;
  };
}
