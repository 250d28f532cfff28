/** A path in a bucket, in the form of the tables: segments joined by `/`; `''` is the bucket's own directory. */
export type Key = string;

/** Longest path in bytes of UTF-8 that can have properties and locks. An index entry of Postgres holds at most 2,704 bytes. */
export const MAX_KEY_BYTES = 2_000;

export const keyOf = (segments: readonly string[]): Key => segments.join('/');

/** The directory of a path; undefined for the bucket's own directory. */
export function parentOf(key: Key): Key | undefined {
  if (key === '') return undefined;
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** Every directory that contains the path, the bucket's own included. */
export function ancestorsOf(key: Key): Key[] {
  const found: Key[] = [];
  for (let at = parentOf(key); at !== undefined; at = parentOf(at)) found.push(at);
  return found;
}

export const isBelow = (key: Key, directory: Key): boolean =>
  key !== directory && (directory === '' || key.startsWith(`${directory}/`));

/** Half-open range, by bytes, of all keys below a directory. */
export const rangeBelow = (directory: Key): readonly [from: string, to: string] =>
  // `0` follows `/` in byte order, and U+10FFFF is the last character.
  directory === '' ? ['\u0001', '\u{10FFFF}'] : [`${directory}/`, `${directory}0`];
