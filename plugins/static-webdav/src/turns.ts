import type { Clock } from '@svc/plugin-sdk';
import { KeyedQueue } from '@svc/plugin-sdk/util';
import { Refusal } from './answers.ts';

interface TurnOptions {
  readonly clock: Clock;
  /** Longest wait for a turn. */
  readonly stall_ms: () => number;
}

/** Runs work with the same key one after the other, in the order of the requests. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #queue = new KeyedQueue();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Runs the work in its turn. @throws Refusal 503 when the wait exceeds `stall_ms` */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Waits for a turn. @returns ends the turn @throws Refusal 503 when the wait exceeds `stall_ms` */
  async acquire(key: string): Promise<() => void> {
    const { clock, stall_ms } = this.#options;
    const turn = Promise.withResolvers<boolean>();
    const work = Promise.withResolvers<void>();
    void this.#queue.run(key, () => {
      turn.resolve(true);
      return work.promise;
    });
    const cancel = clock.timeout(() => turn.resolve(false), stall_ms());
    const isInTime = await turn.promise;
    cancel();
    if (isInTime) return work.resolve;
    // A turn that is given up stays in the queue: those after it still wait for those before it.
    work.resolve();
    throw new Refusal({ status: 503, headers: { 'retry-after': '1' } });
  }
}
