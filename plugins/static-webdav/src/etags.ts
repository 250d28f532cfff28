import type { Stats } from 'node:fs';

/** Inode, size and modification time, in quotes (static-http.md §B3). A replaced file has another inode. */
export function etagOf(stat: Stats): string {
  const parts = [stat.ino, ...(stat.isDirectory() ? [] : [stat.size])];
  const microseconds = Math.max(0, Math.floor(stat.mtimeMs * 1000));
  return `"${[...parts, microseconds].map((part) => part.toString(16)).join('-')}"`;
}
