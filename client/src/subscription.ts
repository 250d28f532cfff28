/** Stream that `subscribe` returns: read it with `for await` or with `each`. */
export interface Subscription<T> extends AsyncIterable<T> {
  /** Resolves with the server's first acceptance. @throws RpcError when it refuses */
  readonly ready: Promise<void>;
  /** Number of items that a slow reader has missed: more waited than the queue holds. Those that came while there was no connection are not counted. */
  readonly dropped: number;
  /** Calls `read` with one item after the other, and waits for what it returns. Ends with the subscription. */
  each(read: (item: T) => unknown): Promise<void>;
  /** Ends the subscription; items that wait are still read. */
  close(): void;
}

/** One subscription over all the connections that it lives through. */
export class Stream implements Subscription<unknown> {
  readonly ready: Promise<void>;
  dropped = 0;
  readonly #most: number;
  readonly #end: () => void;
  readonly #items: unknown[] = [];
  #accept!: () => void;
  #refuse!: (reason: unknown) => void;
  #isEnded = false;
  #failure: unknown;
  #wake = () => {};

  /** `end` runs once, when the reader or the client ends it, or the server refuses. */
  constructor(most: number, end: () => void) {
    this.#most = most;
    this.#end = end;
    this.ready = new Promise((accept, refuse) => {
      this.#accept = accept;
      this.#refuse = refuse;
    });
    // A reader of the items gets the refusal from there.
    this.ready.catch(() => {});
  }

  accepted(): void {
    this.#accept();
  }

  push(item: unknown): void {
    if (this.#isEnded) return;
    if (this.#items.push(item) > this.#most) {
      this.#items.shift();
      this.dropped++;
    }
    this.#wake();
  }

  close(): void {
    this.fail(undefined);
  }

  /** Ends the stream; a reader gets the items that wait, then the failure. */
  fail(failure: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    if (failure === undefined) this.#accept();
    else this.#refuse(failure);
    this.#end();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    try {
      for (;;) {
        if (this.#items.length > 0) yield this.#items.shift();
        else if (this.#isEnded) break;
        else
          await new Promise<void>((wake) => {
            this.#wake = wake;
          });
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.close();
    }
  }

  async each(read: (item: unknown) => unknown): Promise<void> {
    for await (const item of this) await read(item);
  }
}
