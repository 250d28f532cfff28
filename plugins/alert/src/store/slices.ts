import { setImmediate as breathe } from 'node:timers/promises';

/** Returns the items in pieces of this size, in their order. */
export function* slices<T>(all: readonly T[], size: number): Iterable<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** Rows of one read with scopes, which are long. */
const ROWS = 50;

/** Reads rows by their ids, some at a time, between which others have the event loop. @returns them in the order of the ids */
export async function readByIds<Row extends { readonly id: number }>(
  ids: readonly number[],
  read: (some: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found = new Map<number, Row>();
  for (const some of slices(ids, ROWS)) {
    for (const row of await read(some)) found.set(row.id, row);
    await breathe();
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
