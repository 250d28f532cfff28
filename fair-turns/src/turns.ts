import { RpcError } from '@svc/plugin-sdk';
import { type ShareRules, Shares } from './shares.ts';

/** Works of one share that may wait; one more is refused. */
const MOST_WAITING = 1_000;

/** Bounds of the wait of a work for its turn. */
export interface Wait {
  readonly timeout_ms?: number | undefined;
  /** Its error when that is over. */
  readonly late?: () => Error;
  /** Aborts when the work is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly share: string;
  enter(): void;
}

/** Lets a few works run at a time; the others wait, and no share makes another wait for all of its works. */
export class Turns {
  readonly #shares: Shares;
  readonly #queues = new Map<string, Waiting[]>();

  constructor(rules: ShareRules) {
    this.#shares = new Shares(rules);
  }

  /** Tells whether nothing runs. */
  get idle(): boolean {
    return this.#shares.used === 0;
  }

  /** Runs `work` when its turn has come. @throws as `acquire` */
  async run<T>(share: string, wait: Wait, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(share, wait);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Waits for a place. @returns releases it; once is enough
   * @throws `late()` after `timeout_ms`, the signal's reason, RpcError 999 when too many of this share wait
   */
  async acquire(share: string, wait: Wait): Promise<() => void> {
    wait.signal?.throwIfAborted();
    if (this.#queues.has(share) || !this.#shares.acquire(share)) await this.#wait(share, wait);
    let isHeld = true;
    return () => {
      if (isHeld) this.#shares.release(share);
      isHeld = false;
      this.#admit();
    };
  }

  #wait(share: string, { timeout_ms, late, signal }: Wait): Promise<void> {
    const queue = this.#queues.get(share) ?? [];
    if (queue.length >= MOST_WAITING)
      return Promise.reject(RpcError.other('too many calls of one token wait for their turn'));
    return new Promise((resolve, reject) => {
      const dequeue = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#queues.delete(share);
      };
      const waiting: Waiting = {
        share,
        enter() {
          dequeue();
          resolve();
        },
      };
      const giveUp = (error: unknown) => {
        dequeue();
        reject(error);
      };
      const abort = () => giveUp(signal?.reason);
      const timer = timeout_ms && late ? setTimeout(() => giveUp(late()), timeout_ms) : undefined;
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(waiting);
      this.#queues.set(share, queue);
    });
  }

  /** Lets in what has its turn now. */
  #admit(): void {
    for (;;) {
      const first = [...this.#queues.values()].map(([waiting]) => waiting as Waiting);
      const next = this.#shares.order(first).find(({ share }) => this.#shares.acquire(share));
      if (!next) return;
      next.enter();
    }
  }
}
