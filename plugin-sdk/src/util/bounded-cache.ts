export interface BoundedOptions<K, V> {
  /** Entries, at most. */
  readonly most: number;
  /** Bytes that all entries may weigh together; no bound by default. */
  readonly bytes?: number;
  /** Bytes of a value; 0 by default. */
  readonly weigh?: (value: V) => number;
  /** Tells whether a value is in use at this moment: it stays beyond the bounds. */
  readonly keeps?: (value: V) => boolean;
  /** Hears of what went to make room. */
  readonly left?: (key: K, value: V) => void;
}

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  used: boolean;
}

/** Past the bounds with entries that all stay, nothing is looked through again before it has grown by this. */
const GROWTH = 1.05;

/**
 * Cache that is bounded by count and by bytes, and evicts by the CLOCK algorithm: what was not used since its last turn goes
 * first, so that a hit costs no bookkeeping besides a mark.
 */
export class BoundedCache<K, V> {
  readonly #options: BoundedOptions<K, V>;
  /** The ones that were looked at longest ago first. */
  readonly #entries = new Map<K, Entry<V>>();
  #bytes = 0;
  #patience = 1;

  constructor(options: BoundedOptions<K, V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes that the entries weigh. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.used = true;
    return entry.value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Weighs the value anew where it is there already. */
  set(key: K, value: V): void {
    const weight = this.#options.weigh?.(value) ?? 0;
    this.#bytes += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.set(key, { value, weight, used: true });
    this.#shrink();
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#bytes -= entry.weight;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** Gives each entry one turn, which clears its mark; beyond twice the bounds two, so that use alone carries nothing further. */
  #shrink(): void {
    if (!this.#isOver(this.#patience)) return;
    const { keeps, left } = this.#options;
    let went = 0;
    const rounds = this.#isOver(2) ? 2 : 1;
    for (let turns = rounds * this.#entries.size; turns > 0 && this.#isOver(1); turns--) {
      const [[key, entry]] = this.#entries as unknown as [[K, Entry<V>]];
      this.#entries.delete(key);
      if (entry.used || keeps?.(entry.value)) {
        entry.used = false;
        this.#entries.set(key, entry);
        continue;
      }
      this.#bytes -= entry.weight;
      went++;
      left?.(key, entry.value);
    }
    this.#patience = went > 0 ? 1 : this.#over() * GROWTH;
  }

  #isOver(patience: number): boolean {
    return this.#over() > patience;
  }

  /** Above 1: past a bound. */
  #over(): number {
    const { most, bytes = Number.POSITIVE_INFINITY } = this.#options;
    return Math.max(this.#entries.size / most, this.#bytes / bytes);
  }
}
