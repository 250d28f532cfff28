import type { Entry } from './entry.ts';

interface Sum {
  /** The last one. */
  entry: Entry;
  /** Rows that it had of its own in this minute. */
  rows: number;
  /** Events that no row tells of yet. */
  untold: number;
}

interface Options {
  readonly add: (entry: Entry) => void;
  /** Events of a kind that have rows of their own in a minute. */
  readonly free: number;
  /** Kinds in a minute; what is of further ones is counted without names. */
  readonly most: number;
  /** Kinds of one token in a minute; what is of further ones is counted without addresses. Default: `most`. */
  readonly mostOfToken?: number;
}

const MANY = 'many addresses';

/** Equal events share a row a minute, which counts them: an attacker cannot write the table full. */
export class Sums {
  readonly #options: Options;
  readonly #sums = new Map<string, Sum>();
  /** How many there are of each token. */
  readonly #kinds = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** @returns whether the event has a row of its own */
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

  /** To be called once a minute. */
  minute(): void {
    for (const { entry, untold } of this.#sums.values())
      if (untold > 0) this.#options.add({ ...entry, count: untold });
    this.#sums.clear();
    this.#kinds.clear();
  }

  /** One row for all events of this kind. */
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
