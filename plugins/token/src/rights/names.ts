/** Granted names of one tag or verb; only a trailing `*` is special (auth.md §6.1). */
export class Names {
  readonly #exact = new Set<string>();
  #prefixes: string[] = [];
  /** Tells whether the prefixes are sorted, and none begins with another. */
  #isSorted = true;

  add(name: string, wildcard: boolean): void {
    if (!(wildcard && name.endsWith('*'))) {
      this.#exact.add(name);
      return;
    }
    this.#prefixes.push(name.slice(0, -1));
    this.#isSorted = this.#prefixes.length === 1;
  }

  /** Tells whether a name is granted; a wanted pattern is compared as plain text. */
  covers(wanted: string): boolean {
    if (this.#exact.has(wanted)) return true;
    return this.#begins(wanted);
  }

  /** Tells whether everything that `wanted` matches as a grant of its own is covered. */
  contains(wanted: string, wildcard: boolean): boolean {
    if (!wildcard || !wanted.endsWith('*')) return this.covers(wanted);
    return this.#begins(wanted.slice(0, -1));
  }

  /** Tells whether a prefix begins this text: it is the last one that is not greater, for those between begin with it, too. */
  #begins(text: string): boolean {
    if (!this.#isSorted) this.#sort();
    const prefixes = this.#prefixes;
    let [low, high] = [0, prefixes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((prefixes[middle] as string) <= text) low = middle + 1;
      else high = middle;
    }
    return low > 0 && text.startsWith(prefixes[low - 1] as string);
  }

  #sort(): void {
    const kept: string[] = [];
    for (const prefix of this.#prefixes.sort(byUnits)) {
      const before = kept.at(-1);
      if (before === undefined || !prefix.startsWith(before)) kept.push(prefix);
    }
    this.#prefixes = kept;
    this.#isSorted = true;
  }
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Tests each member like `Object.entries(…).every`, false for no member, and without arrays: each call runs it. */
export function everyMember<V>(
  object: { readonly [name: string]: V },
  test: (name: string, value: V) => boolean,
): boolean {
  let any = false;
  for (const name in object) {
    if (!test(name, object[name] as V)) return false;
    any = true;
  }
  return any;
}
