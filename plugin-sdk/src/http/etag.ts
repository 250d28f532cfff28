import type { Stats } from 'node:fs';

const MICROSECONDS = 1_000_000;

/**
 * `"<mtime s>-<size>"` (static-http.md §A4), followed by `-<µs>` unless that is 0, so that two versions within one second
 * have two tags.
 */
export function etagOf({ mtimeMs, size }: Stats): string {
  const total = Math.max(0, Math.floor(mtimeMs * 1000));
  const rest = total % MICROSECONDS;
  const tag = `${Math.floor(total / MICROSECONDS)}-${size}`;
  return rest === 0 ? `"${tag}"` : `"${tag}-${rest}"`;
}
