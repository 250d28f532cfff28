import type { Clock } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Secret } from './secret.ts';

const INTERVAL_MS = 250;
const MAX_WAITING = 16;

interface CheckQueue {
  waiting: number;
  /** Time of the next check, by the monotonic clock. */
  next: number;
  readonly queue: SerialQueue;
}

/**
 * Queue of attempts at an account from a usual location while it is guessed at from there: checked one after the other, four
 * a second, in the order of arrival. The first valid one ends it (`Secret.verifiedDigest`).
 */
export class PacedChecks {
  readonly #clock: Clock;
  readonly #queues = new WeakMap<Secret, CheckQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Queues a check. @returns undefined: too many wait already */
  run<T>(secret: Secret, check: () => T | Promise<T>): Promise<T> | undefined {
    const entry = this.#queues.get(secret) ?? { waiting: 0, next: 0, queue: new SerialQueue() };
    this.#queues.set(secret, entry);
    if (entry.waiting >= MAX_WAITING) return undefined;
    entry.waiting++;
    return entry.queue.run(async () => {
      try {
        await this.#delayUntil(entry.next);
        return await check();
      } finally {
        entry.next = this.#clock.monotonic() + INTERVAL_MS;
        entry.waiting--;
      }
    });
  }

  #delayUntil(time: number): Promise<void> | undefined {
    const left = time - this.#clock.monotonic();
    if (left <= 0) return undefined;
    return new Promise((resolve) => void this.#clock.timeout(resolve, left));
  }
}
