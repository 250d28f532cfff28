import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from './unless-gone.ts';

/** Files below a folder: paths relative to it, `/` separated. Sockets, pipes and devices are left out. */
export interface Tree {
  readonly files: readonly { readonly path: string; readonly mtime_ms: number }[];
  /** Symbolic links, which are not followed, with what they name. */
  readonly links: Readonly<Record<string, string>>;
  /** Folders that hold nothing. */
  readonly empty: readonly string[];
}

/** Reads a folder, which need not exist. What goes while it is read is left out. */
export async function readTree(root: string, skips: (name: string) => boolean): Promise<Tree> {
  const files: Tree['files'][number][] = [];
  const links: Record<string, string> = {};
  const empty: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const names = await unlessGone(readdir(join(root, folder)));
    if (names?.length === 0 && folder !== '') empty.push(folder);
    for (const name of names?.sort() ?? []) {
      if (skips(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const found = await unlessGone(lstat(join(root, path)));
      if (found?.isDirectory()) await visit(path);
      else if (found?.isFile()) files.push({ path, mtime_ms: Math.round(found.mtimeMs) });
      else if (found?.isSymbolicLink()) links[path] = await readlink(join(root, path));
    }
  };
  await visit('');
  return { files, links, empty };
}
