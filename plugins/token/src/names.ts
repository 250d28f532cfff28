/** Granted names of one tag or verb; only a trailing `*` is special (auth.md §6.1). */
export class Names {
  readonly #exact = new Set<string>();
  readonly #prefixes: string[] = [];

  add(name: string, wildcard: boolean): void {
    if (wildcard && name.endsWith('*')) this.#prefixes.push(name.slice(0, -1));
    else this.#exact.add(name);
  }

  /** A wanted pattern is compared as plain text. */
  covers(wanted: string): boolean {
    if (this.#exact.has(wanted)) return true;
    return this.#prefixes.some((prefix) => wanted.startsWith(prefix));
  }

  /** True when everything that `wanted` matches as a grant of its own is covered. */
  contains(wanted: string, wildcard: boolean): boolean {
    if (!wildcard || !wanted.endsWith('*')) return this.covers(wanted);
    const wide = wanted.slice(0, -1);
    return this.#prefixes.some((prefix) => wide.startsWith(prefix));
  }
}

/** Like `Object.entries(…).every`, false for no member, and without making arrays: every call passes here. */
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
