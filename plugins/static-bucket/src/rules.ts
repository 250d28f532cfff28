import { RpcError } from '@svc/plugin-sdk';
import type { Bucket } from './api.ts';

const MAX_NAME_BYTES = 128;
const MAX_PATH_BYTES = 512;

/** Rule of bucket names and of each segment of a bucket path (static-bucket.md §2). @throws RpcError 108 */
export function checkName(name: string): void {
  if (name === '') throw RpcError.invalid('name cannot be empty');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw RpcError.invalid('name too long (max 128 chars)');
  if (!/^[A-Za-z0-9_.-]+$/.test(name))
    throw RpcError.invalid('name contains invalid characters (only [A-Za-z0-9_.-] are allowed)');
  if (/^\.+$/.test(name)) throw RpcError.invalid("name cannot be '.' or '..'");
}

/** Rule of bucket paths. @returns the segments of the directory @throws RpcError 108 */
export function checkPath(path: string): readonly string[] {
  if (path === '') throw RpcError.invalid('path cannot be empty');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw RpcError.invalid('path too long (max 512 chars)');
  if (path.includes('\\')) throw RpcError.invalid('path cannot contain backslash');
  if (path.startsWith('/')) throw RpcError.invalid("path cannot be absolute (leading '/')");
  const segments = segmentsOf(path);
  if (segments.includes('..')) throw RpcError.invalid("path cannot contain '..'");
  for (const segment of segments) checkName(segment);
  if (segments.length === 0) throw RpcError.invalid('path has no valid component');
  return segments;
}

/** Segments of a stored path: empty ones and `.` do not count. */
export const segmentsOf = (path: string): readonly string[] =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.');

const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';

/** One text for all spellings of a directory, with a slash at its end: what lies below begins with it. */
export function directoryKey(path: string, foldCase = ignoresCase): string {
  const joined = segmentsOf(path)
    .map((segment) => `${segment}/`)
    .join('');
  return foldCase ? joined.toLowerCase() : joined;
}

/** A bucket whose directory equals, contains or lies in `path`: a token for one bucket would reach files of the other. */
export function overlapping(
  path: string,
  others: readonly Bucket[],
  foldCase = ignoresCase,
): Bucket | undefined {
  const key = (text: string) => directoryKey(text, foldCase);
  const wanted = key(path);
  return others.find(
    (other) => key(other.path).startsWith(wanted) || wanted.startsWith(key(other.path)),
  );
}
