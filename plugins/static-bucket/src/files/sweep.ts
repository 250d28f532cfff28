import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk';
import { realBase } from './contain.ts';
import { removeIfAny } from './replace.ts';
import { isTemporary } from './temporary.ts';

interface Options {
  /** Unix ms: what was last written before is nobody's any more. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/** As `sweep`, for the directory of a bucket, which may not be there. */
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

/** Removes unfinished uploads that a killed server left below a real directory; links are not followed. @returns how many */
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
      // Vanished meanwhile, or none of ours to read: the rest of the tree matters all the same.
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes(codeOf(error))) throw error;
    }
  }
  return removed;
}

const isOld = async (path: string, before: number): Promise<boolean> =>
  (await lstat(path)).mtimeMs < before;
