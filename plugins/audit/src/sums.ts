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
}

/** Equal events share a row a minute, which counts them: an attacker cannot write the table full. */
export class Sums {
  readonly #options: Options;
  readonly #sums = new Map<string, Sum>();

  constructor(options: Options) {
    this.#options = options;
  }

  add(kind: string, entry: Entry): void {
    const known = this.#sums.get(kind);
    if (known) this.#count(known, entry);
    else if (this.#sums.size < this.#options.most) this.#begin(kind, entry);
    else {
      const many = { ...entry, token: '', name: '', target: '', address: 'many addresses' };
      const others = this.#sums.get('');
      if (others) others.untold++;
      else this.#sums.set('', { entry: many, rows: this.#options.free, untold: 1 });
    }
  }

  /** To be called once a minute. */
  minute(): void {
    for (const { entry, untold } of this.#sums.values())
      if (untold > 0) this.#options.add({ ...entry, count: untold });
    this.#sums.clear();
  }

  #begin(kind: string, entry: Entry): void {
    const sum = { entry, rows: 0, untold: 0 };
    this.#sums.set(kind, sum);
    this.#count(sum, entry);
  }

  #count(sum: Sum, entry: Entry): void {
    if (sum.rows < this.#options.free) {
      sum.rows++;
      this.#options.add(entry);
    } else {
      sum.entry = entry;
      sum.untold++;
    }
  }
}
