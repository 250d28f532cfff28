import type { Stats } from 'node:fs';

const MICROSECONDS = 1_000_000;

/**
 * `"<mtime s>-<size>"` (static-http.md A4); two versions within one second differ by `-<µs>`, left out when it is 0.
 */
export function etagOf({ mtimeMs, size }: Stats): string {
  const total = Math.max(0, Math.floor(mtimeMs * 1000));
  const rest = total % MICROSECONDS;
  const tag = `${Math.floor(total / MICROSECONDS)}-${size}`;
  return rest === 0 ? `"${tag}"` : `"${tag}-${rest}"`;
}
