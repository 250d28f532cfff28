import type { WindowUse } from '@svc/conditions';

const MINUTE_MS = 60_000;
/** Minutes that are kept: windows of an hour, and the minute that is not over. */
export const MINUTES = 61;

interface Bucket {
  /** Number of the minute since 1970. */
  readonly minute: number;
  count: number;
  sum: number;
  min: number;
  max: number;
  /** Sum of what the value grew by. */
  gain: number;
}

/** Minutes of one variable of one agent, the oldest first. */
export class Minutes {
  #buckets: Bucket[] = [];
  #last: number | undefined;

  /** Adds a value that arrived at `at`, Unix ms. */
  add(value: number, at: number): void {
    const minute = Math.floor(at / MINUTE_MS);
    // A counter that begins anew has grown by what it shows.
    const gain = this.#last === undefined ? 0 : value >= this.#last ? value - this.#last : value;
    this.#last = value;
    const newest = this.#buckets.at(-1);
    if (newest && minute <= newest.minute) {
      newest.count++;
      newest.sum += value;
      newest.min = Math.min(newest.min, value);
      newest.max = Math.max(newest.max, value);
      newest.gain += gain;
      return;
    }
    this.#buckets.push({ minute, count: 1, sum: value, min: value, max: value, gain });
    if (this.#buckets.length > MINUTES) this.#buckets.shift();
  }

  /** Puts stored minutes before those that arrived since the start. */
  refill(stored: readonly Omit<Bucket, 'gain'>[], lasts: readonly number[]): void {
    const first = this.#buckets[0]?.minute ?? Infinity;
    const older = stored.flatMap((bucket, index) => {
      const before = lasts[index - 1];
      const gain = before === undefined ? 0 : Math.max(0, (lasts[index] as number) - before);
      return bucket.minute < first ? [{ ...bucket, gain }] : [];
    });
    this.#buckets = [...older, ...this.#buckets].slice(-MINUTES);
  }

  /** Value of a window that ends at `now`; undefined where less than half of its minutes have values. */
  value({ function: name, span }: WindowUse, now: number): number | undefined {
    const minutes = Math.max(1, Math.ceil(Number(span) / MINUTE_MS));
    const from = Math.floor(now / MINUTE_MS) - minutes;
    const inside = this.#buckets.filter(({ minute }) => minute > from);
    if (inside.length === 0 || inside.length < minutes / 2) return undefined;
    switch (name) {
      case 'avg':
        return sumOf(inside, 'sum') / sumOf(inside, 'count');
      case 'min':
        return Math.min(...inside.map(({ min }) => min));
      case 'max':
        return Math.max(...inside.map(({ max }) => max));
      case 'rate':
        return sumOf(inside, 'gain') / lasting(inside, now);
    }
    return undefined;
  }
}

const sumOf = (buckets: readonly Bucket[], member: 'sum' | 'count' | 'gain') =>
  buckets.reduce((sum, bucket) => sum + bucket[member], 0);

/** Seconds from the first of these minutes to `now`, at least one. */
const lasting = (buckets: readonly Bucket[], now: number) =>
  Math.max(1, (now - (buckets[0]?.minute ?? 0) * MINUTE_MS) / 1_000);

/** Tells whether a window is read from minutes in memory. */
export const isShort = ({ function: name, span }: WindowUse): boolean =>
  name !== 'predict' && typeof span === 'number' && span <= 60 * MINUTE_MS;
