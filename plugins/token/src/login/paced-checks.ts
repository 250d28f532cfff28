import type { Clock } from '@svc/plugin-sdk';
import type { Secret } from './secret.ts';

const APART_MS = 250;
const WAITING = 16;

interface Lane {
  waiting: number;
  /** By the monotonic clock. */
  next: number;
  tail: Promise<unknown>;
}

/**
 * Attempts at an account from where it logged in before, while it is guessed at from there: looked at one after the
 * other, four a second, in the order of their coming. The first right one closes the lane (`Secret.right`).
 */
export class Lanes {
  readonly #clock: Clock;
  readonly #lanes = new WeakMap<Secret, Lane>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined: too many wait already */
  run<T>(secret: Secret, check: () => T | Promise<T>): Promise<T> | undefined {
    const lane = this.#lanes.get(secret) ?? { waiting: 0, next: 0, tail: Promise.resolve() };
    this.#lanes.set(secret, lane);
    if (lane.waiting >= WAITING) return undefined;
    lane.waiting++;
    const turn = lane.tail.then(async () => {
      try {
        await this.#until(lane.next);
        return await check();
      } finally {
        lane.next = this.#clock.monotonic() + APART_MS;
        lane.waiting--;
      }
    });
    lane.tail = turn.catch(() => undefined);
    return turn;
  }

  #until(time: number): Promise<void> | undefined {
    const left = time - this.#clock.monotonic();
    if (left <= 0) return undefined;
    return new Promise((resolve) => void this.#clock.timeout(resolve, left));
  }
}
