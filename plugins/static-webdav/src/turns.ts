import type { Clock } from '@svc/plugin-sdk';
import { Refusal } from './answers.ts';

interface TurnOptions {
  readonly clock: Clock;
  /** Longest wait for a turn. */
  readonly stall_ms: () => number;
}

/** Runs work with the same key one after the other, in the order of the requests. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #last = new Map<string, Promise<void>>();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Runs the work in its turn. @throws Refusal 503 when the wait exceeds `stall_ms` */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const end = await this.take(key);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Waits for a turn. @returns a function that ends it @throws Refusal 503 when the wait exceeds `stall_ms` */
  async take(key: string): Promise<() => void> {
    const before = this.#last.get(key);
    let end = () => {};
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    // A turn that is given up stays in the chain: those behind it still wait for those before it.
    const last = before ? before.then(() => own) : own;
    this.#last.set(key, last);
    void last.then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    if (before && !(await this.#inTime(before))) {
      end();
      throw new Refusal({ status: 503, headers: { 'retry-after': '1' } });
    }
    return end;
  }

  #inTime(work: Promise<void>): Promise<boolean> {
    const { clock, stall_ms } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.timeout(() => resolve(false), stall_ms());
      void work.then(() => {
        cancel();
        resolve(true);
      });
    });
  }
}
