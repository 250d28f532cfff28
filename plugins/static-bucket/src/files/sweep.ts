import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import { realBase } from './contain.ts';
import { removeIfAny } from './replace.ts';
import { isTemporary } from './temporary.ts';

interface Options {
  /** Unix ms: uploads that were last written before this are removed. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/** Sweeps the directory of a bucket, if it exists. @returns how many uploads were removed */
export async function sweepBucket(
  root: string,
  segments: readonly string[],
  options: Options,
): Promise<number> {
  try {
    return await sweep(await realBase(root, segments), options);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Removes old unfinished uploads below a real directory, links not followed. A killed server leaves them. */
async function sweep(base: string, options: Options): Promise<number> {
  let removed = 0;
  const directories = [base];
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    if (options.signal.aborted) break;
    try {
      for await (const entry of await opendir(path)) {
        const child = join(path, entry.name);
        if (entry.isDirectory()) directories.push(child);
        else if (entry.isFile() && isTemporary(entry.name) && (await isOld(child, options.before)))
          removed += Number(await removeIfAny(child));
      }
    } catch (error) {
      // The directory was removed, or may not be read. The rest of the tree is swept nevertheless.
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes(codeOf(error))) throw error;
    }
  }
  return removed;
}

const isOld = async (path: string, before: number): Promise<boolean> =>
  (await lstat(path)).mtimeMs < before;
