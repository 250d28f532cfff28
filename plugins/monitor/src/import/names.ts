import type { ItemType } from './types.ts';

/** Gives names that nothing else of a type has. */
export class FreeNames {
  readonly #taken: Set<string>;
  readonly #type: ItemType;

  constructor(type: ItemType, taken: Iterable<string>) {
    this.#type = type;
    this.#taken = new Set(taken);
  }

  /** Returns this name, or the nearest one that is free, and takes it. */
  take(wanted: string): string {
    const base = this.#type === 'channel' ? channelName(wanted) : wanted;
    let name = base;
    for (let count = 2; this.#taken.has(name); count++) {
      const end = this.#type === 'channel' ? `-${count}` : ` (${count})`;
      name = `${base.slice(0, (this.#type === 'channel' ? 64 : 80) - end.length)}${end}`;
    }
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
