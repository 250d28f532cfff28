/** Returns the items in pieces of this size, in their order. */
export function* slices<T>(all: readonly T[], size: number): Iterable<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
