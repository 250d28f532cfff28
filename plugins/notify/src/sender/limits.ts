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

/** Message that wants to be sent. */
export interface Wish {
  readonly channel: number;
  readonly kind: Kind;
  /** Owner of the channel; null: the Super Token. */
  readonly owner: string | null;
  /** Tells whether it is no alert. */
  readonly isText: boolean;
}

interface Sent extends Pick<Wish, 'owner' | 'isText'> {
  readonly at: number;
}

/**
 * Pace of what is sent: of each channel by its kind, and of all together. A token has half of what the others left, and
 * texts half of that, so that none of them holds up the alerts of another. Times are monotonic, ms.
 */
export class Limits {
  readonly #most: () => number;
  readonly #buckets = new Map<number, Bucket>();
  /** Messages of the last minute, the oldest first. */
  #sent: Sent[] = [];

  /** @param most messages a minute over all channels */
  constructor(most: () => number) {
    this.#most = most;
  }

  /** Takes the place of one message. @returns how long to wait for it, ms; 0: taken */
  take({ channel, kind, owner, isText }: Wish, now: number): number {
    const bucket = this.#buckets.get(channel) ?? new Bucket(kind.limits, now);
    this.#buckets.set(channel, bucket);
    this.#sent = this.#sent.filter(({ at }) => now - at < MINUTE_MS);
    const wait = Math.max(bucket.wait(now), this.#waitForShare({ owner, isText }, now));
    if (wait > 0) return wait;
    bucket.take();
    this.#sent.push({ at: now, owner, isText });
    return 0;
  }

  #waitForShare({ owner, isText }: Pick<Wish, 'owner' | 'isText'>, now: number): number {
    const most = this.#most();
    const own = this.#sent.filter((one) => one.owner === owner);
    const left = most - (this.#sent.length - own.length);
    const share = owner === null ? left : left / 2;
    const texts = own.filter((one) => one.isText);
    return Math.max(
      untilFewer(this.#sent, most, now),
      untilFewer(own, Math.max(share, 1), now),
      isText ? untilFewer(texts, Math.max(share / 2, 1), now) : 0,
    );
  }

  /** Forgets channels that are gone. */
  keep(channels: ReadonlySet<number>): void {
    for (const id of this.#buckets.keys()) if (!channels.has(id)) this.#buckets.delete(id);
  }
}

/** Returns how long it takes until one more is at most so many within a minute, ms. */
function untilFewer(sent: readonly Sent[], most: number, now: number): number {
  const over = sent[sent.length - Math.floor(most)];
  return over === undefined ? 0 : over.at + MINUTE_MS - now;
}
