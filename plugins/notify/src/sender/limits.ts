import type { Kind } from '../kinds/index.ts';

const MINUTE_MS = 60_000;

/** Tokens that come at a steady rate, up to `burst`. */
class Bucket {
  readonly #burst: number;
  readonly #per_ms: number;
  #tokens: number;
  #at: number;

  constructor({ per_second, per_minute, burst }: Kind['limits'], now: number) {
    const rates = [per_second, per_minute && per_minute / 60].filter((rate) => rate !== undefined);
    this.#per_ms = rates.length > 0 ? Math.min(...rates) / 1_000 : Number.POSITIVE_INFINITY;
    this.#burst = Math.max(1, burst);
    this.#tokens = this.#burst;
    this.#at = now;
  }

  /** Returns how long to wait for a token, ms. */
  wait(now: number): number {
    const more = now > this.#at ? (now - this.#at) * this.#per_ms : 0;
    this.#tokens = Math.min(this.#burst, this.#tokens + more);
    this.#at = now;
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#per_ms);
  }

  take(): void {
    this.#tokens--;
  }
}

/** Pace of what is sent: of each channel by its kind, and of all together. Times are monotonic, ms. */
export class Limits {
  readonly #most: () => number;
  readonly #buckets = new Map<number, Bucket>();
  /** Times of what was sent in the last minute, the oldest first. */
  #sent: number[] = [];

  /** @param most messages a minute over all channels */
  constructor(most: () => number) {
    this.#most = most;
  }

  /** Takes the place of one message. @returns how long to wait for it, ms; 0: taken */
  take(channel: number, kind: Kind, now: number): number {
    const bucket = this.#buckets.get(channel) ?? new Bucket(kind.limits, now);
    this.#buckets.set(channel, bucket);
    this.#sent = this.#sent.filter((at) => now - at < MINUTE_MS);
    const over = this.#sent[this.#sent.length - this.#most()];
    const wait = Math.max(bucket.wait(now), over === undefined ? 0 : over + MINUTE_MS - now);
    if (wait > 0) return wait;
    bucket.take();
    this.#sent.push(now);
    return 0;
  }

  /** Forgets channels that are gone. */
  keep(channels: ReadonlySet<number>): void {
    for (const id of this.#buckets.keys()) if (!channels.has(id)) this.#buckets.delete(id);
  }
}
