import type { Clock } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { Bucket } from './bucket.ts';

/** Pings of a key. */
const FLOW = { rate: 5, burst: 20 };
/** Keys that are remembered; strangers' are never among them. */
const MOST_KEYS = 10_000;

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

  /** Counts a call with a key that is right. @returns false: there are too many of them */
  mayCall(hash: string): boolean {
    const bucket = this.#buckets.get(hash) ?? new Bucket(FLOW);
    this.#buckets.set(hash, bucket);
    return bucket.take(this.#clock);
  }
}
