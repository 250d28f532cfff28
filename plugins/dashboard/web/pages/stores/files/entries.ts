import { toFolder } from './paths.ts';

/** A file of a bucket. */
export interface Entry {
  readonly path: string;
  readonly size: number;
  /** Unix ms; 0: not known. */
  readonly mtime: number;
}

/** A file or folder of a folder. */
export interface Line {
  readonly name: string;
  readonly isFolder: boolean;
  readonly to: string;
  readonly size: number;
  readonly mtime: number;
  /** Files below it. */
  readonly count: number;
}

/** Returns what a folder shows. Buckets know paths only: folders are made of what their files have in common. */
export function linesOf(bucket: string, folder: string, files: readonly Entry[]): readonly Line[] {
  const found = new Map<string, Line>();
  for (const { path, size, mtime } of files) {
    if (!path.startsWith(folder)) continue;
    const rest = path.slice(folder.length);
    const slash = rest.indexOf('/');
    const isFolder = slash >= 0;
    const name = isFolder ? rest.slice(0, slash) : rest;
    const key = `${isFolder} ${name}`;
    const old = found.get(key);
    found.set(key, {
      name,
      isFolder,
      to: isFolder ? toFolder(bucket, `${folder}${name}/`) : toFolder(bucket, folder, path),
      size: size + (old?.size ?? 0),
      mtime: Math.max(mtime, old?.mtime ?? 0),
      count: 1 + (old?.count ?? 0),
    });
  }
  return [...found.values()].toSorted(
    (a, b) =>
      Number(b.isFolder) - Number(a.isFolder) ||
      a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
}
