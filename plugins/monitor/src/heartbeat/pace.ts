import type { Clock } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';

/** Pings of a key a second, and how many may come at once. */
const RATE = 5;
const BURST = 20;
/** Keys that are remembered; strangers' are never among them. */
const MOST_KEYS = 10_000;

interface Bucket {
  level: number;
  /** Monotonic ms. */
  at: number;
}

/** Keys that were right, by their hashes, and how fast each of them calls. */
export class Pace {
  readonly #clock: Clock;
  readonly #buckets: BoundedCache<string, Bucket>;

  constructor(clock: Clock, most = MOST_KEYS) {
    this.#clock = clock;
    this.#buckets = new BoundedCache({ most });
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Tells whether the key was right before. */
  knows(hash: string): boolean {
    return this.#buckets.has(hash);
  }

  forget(hash: string): void {
    this.#buckets.delete(hash);
  }

  /** Counts a call with a key that is right. @returns false: there are too many of them */
  mayCall(hash: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(hash) ?? { level: BURST, at: now };
    bucket.level = Math.min(BURST, bucket.level + ((now - bucket.at) * RATE) / 1_000);
    bucket.at = now;
    this.#buckets.set(hash, bucket);
    if (bucket.level < 1) return false;
    bucket.level--;
    return true;
  }
}
