export interface BoundedOptions<K, V> {
  /** Entries, at most. */
  readonly most: number;
  /** Bytes that all entries may weigh together. */
  readonly bytes: number;
  readonly weigh: (value: V) => number;
  /** True for what somebody uses at this moment: it stays beyond the bounds. */
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
 * A cache that is bounded by count and by bytes. What was not used since the last look goes first, so that a hit costs no
 * bookkeeping beside a mark.
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
    const weight = this.#options.weigh(value);
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

  /** Looks at each entry once at most. */
  #shrink(): void {
    if (!this.#isOver(this.#patience)) return;
    const { keeps, left } = this.#options;
    let went = 0;
    for (let looks = this.#entries.size; looks > 0 && this.#isOver(1); looks--) {
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
    const { most, bytes } = this.#options;
    return Math.max(this.#entries.size / most, this.#bytes / bytes);
  }
}
