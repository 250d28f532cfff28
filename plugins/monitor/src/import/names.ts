import type { ItemType } from './types.ts';

/** Characters of the longest number that is put behind a name. */
const MOST_END = 8;

/** Gives names that nothing else of a type has. */
export class FreeNames {
  readonly #taken: Set<string>;
  readonly #type: ItemType;
  /** Numbers below which none is free, by what names have before their numbers. */
  readonly #next = new Map<string, number>();

  constructor(type: ItemType, taken: Iterable<string>) {
    this.#type = type;
    this.#taken = new Set(taken);
  }

  /** Returns this name, or the nearest one that is free, and takes it. */
  take(wanted: string): string {
    const isChannel = this.#type === 'channel';
    const base = isChannel ? channelName(wanted) : wanted;
    const most = isChannel ? 64 : 80;
    // Long names that are cut to the same one share their numbers.
    const stem = base.slice(0, most - MOST_END);
    let count = this.#next.get(stem) ?? 2;
    let name = base;
    for (; this.#taken.has(name); count++) {
      const end = isChannel ? `-${count}` : ` (${count})`;
      name = `${base.slice(0, most - end.length)}${end}`;
    }
    this.#next.set(stem, count);
    this.#taken.add(name);
    return name;
  }
}

/** Names of channels have letters, digits, `.`, `_` and `-`. */
function channelName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 60);
  const isEnd = (at: number) => /[._-]/.test(plain.charAt(at));
  let [from, to] = [0, plain.length];
  while (from < to && isEnd(from)) from++;
  while (to > from && isEnd(to - 1)) to--;
  return plain.slice(from, to) || 'channel';
}
