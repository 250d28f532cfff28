import type { Entry } from './entry.ts';

interface Sum {
  /** Last event. */
  entry: Entry;
  /** Number of rows of its own in this minute. */
  rows: number;
  /** Number of events that no row records yet. */
  untold: number;
}

interface Options {
  readonly add: (entry: Entry) => void;
  /** Most events of a kind that have rows of their own in a minute. */
  readonly free: number;
  /** Most kinds in a minute; events of further ones are counted without names. */
  readonly most: number;
  /** Most kinds of one token in a minute; events of further ones are counted without addresses. Default: `most`. */
  readonly mostOfToken?: number;
}

const MANY = 'many addresses';

/** Counts of equal events, which share a row a minute: an attacker cannot fill the table. */
export class Sums {
  readonly #options: Options;
  readonly #sums = new Map<string, Sum>();
  /** Number of kinds of each token. */
  readonly #kinds = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Adds an event. @returns whether it has a row of its own */
  add(kind: string, entry: Entry): boolean {
    const { most, mostOfToken = most } = this.#options;
    const known = this.#sums.get(kind);
    if (known) return this.#count(known, entry);
    const ofToken = this.#kinds.get(entry.token) ?? 0;
    if (this.#sums.size >= most)
      return this.#share('', { ...entry, token: '', name: '', target: '', address: MANY });
    if (ofToken >= mostOfToken) return this.#share(entry.token, { ...entry, address: MANY });
    this.#kinds.set(entry.token, ofToken + 1);
    const sum = { entry, rows: 0, untold: 0 };
    this.#sums.set(kind, sum);
    return this.#count(sum, entry);
  }

  /** Ends a minute; to be called once a minute. */
  minute(): void {
    for (const { entry, untold } of this.#sums.values())
      if (untold > 0) this.#options.add({ ...entry, count: untold });
    this.#sums.clear();
    this.#kinds.clear();
  }

  /** Counts an event in the row of all events of its kind. */
  #share(kind: string, entry: Entry): false {
    const sum = this.#sums.get(kind);
    if (sum) sum.untold++;
    else this.#sums.set(kind, { entry, rows: this.#options.free, untold: 1 });
    return false;
  }

  #count(sum: Sum, entry: Entry): boolean {
    const isFree = sum.rows < this.#options.free;
    if (isFree) {
      sum.rows++;
      this.#options.add(entry);
    } else {
      sum.entry = entry;
      sum.untold++;
    }
    return isFree;
  }
}
