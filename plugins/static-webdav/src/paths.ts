/** A path in a bucket as the tables hold it: segments joined by `/`; `''` is the bucket's own directory. */
export type Key = string;

/** Longest path, bytes of UTF-8, that can have properties and locks: an index entry of Postgres takes 2,704. */
export const MAX_KEY_BYTES = 2_000;

export const keyOf = (segments: readonly string[]): Key => segments.join('/');

/** undefined for the bucket's own directory. */
export function parentOf(key: Key): Key | undefined {
  if (key === '') return undefined;
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** Every directory that the key lies in, the bucket's own included. */
export function ancestorsOf(key: Key): Key[] {
  const found: Key[] = [];
  for (let at = parentOf(key); at !== undefined; at = parentOf(at)) found.push(at);
  return found;
}

export const isBelow = (key: Key, directory: Key): boolean =>
  key !== directory && (directory === '' || key.startsWith(`${directory}/`));

/** Half-open range, by bytes, of all keys below a directory. */
export const rangeBelow = (directory: Key): readonly [from: string, to: string] =>
  // `0` is the character after `/`; no text of UTF-8 lies beyond the last one.
  directory === '' ? ['\u0001', '\u{10FFFF}'] : [`${directory}/`, `${directory}0`];
