import type { Session } from '../../session.ts';
import type { Item } from './step.ts';

/** One list of the file: how its items are read, written and removed, and their values where the file has none. */
export interface Part {
  /** Singular, for what is printed. */
  readonly word: string;
  /** Reads what the server has. */
  readonly list: (session: Session) => Promise<readonly Item[]>;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Members that cannot change. */
  readonly fixed: readonly string[];
  readonly create: (item: Item) => readonly [method: string, params: object];
  readonly update: (item: Item) => readonly [method: string, params: object];
  readonly remove: (name: string) => readonly [method: string, params: object];
  /** Returns an item as the server stores it, so that defaults which depend on others are no difference. */
  readonly normal?: (item: Item) => Item;
  /** Returns items in the order in which they can be made: behind those that they name. */
  readonly ordered?: (items: readonly Item[]) => readonly Item[];
  readonly hasSecret?: true;
  /** Tells whether an item stays when the file has none of its name. */
  readonly stays?: (item: Item) => boolean;
}

export const without = (item: Item, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
