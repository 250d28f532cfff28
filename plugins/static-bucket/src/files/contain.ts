import { lstat, mkdir, opendir, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';

/** Error for a symbolic link in the path that leads out of the bucket. */
export class LeadsOut extends Error {
  override readonly name = 'LeadsOut';
  readonly code = 'LEADS_OUT';

  constructor() {
    super('a symbolic link leads out of the bucket');
  }
}

/** Tells whether `path` is `base` or below it; both real. */
export const isWithin = (base: string, path: string): boolean =>
  path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);

/** The real path of something that exists. @throws LeadsOut when it is not below the real path `base` */
export async function realWithin(base: string, path: string): Promise<string> {
  const real = await realpath(path);
  if (!isWithin(base, real)) throw new LeadsOut();
  return real;
}

/** Works like `realWithin`, for a path that exists. A link without a target is refused, because it may lead anywhere later. */
export async function realOfStanding(base: string, path: string): Promise<string> {
  try {
    return await realWithin(base, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw (await lstat(path)).isSymbolicLink() ? new LeadsOut() : error;
  }
}

/**
 * The real directory of a bucket. No link may be part of the path from the static root to it. Otherwise a caller with
 * the right to create buckets could reach any place through a link in the directory of another bucket.
 * @throws ENOENT, LeadsOut
 */
export async function realBase(root: string, segments: readonly string[]): Promise<string> {
  const base = join(await realpath(resolve(root)), ...segments);
  if ((await realpath(base)) !== base) throw new LeadsOut();
  return base;
}

/** Tells whether something lies in a directory; false only for one that is missing or empty. */
export async function holdsAnything(root: string, segments: readonly string[]): Promise<boolean> {
  try {
    const directory = await opendir(await realBase(root, segments));
    try {
      return (await directory.read()) !== null;
    } finally {
      await directory.close();
    }
  } catch (error) {
    // Anything else in the way does not belong to the caller either.
    return codeOf(error) !== 'ENOENT';
  }
}

/** Works like `realBase`, but creates missing directories. */
export async function makeBase(root: string, segments: readonly string[]): Promise<string> {
  await mkdir(resolve(root), { recursive: true });
  await makeWithin(await realpath(resolve(root)), segments);
  return realBase(root, segments);
}

/** Depth to which directories are created. Existing deeper ones can be read. */
const MAX_DEPTH = 100;
const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Refuses before anything is created, so that a path that is too long leaves no directories behind. */
function refuseTooLong(base: string, segments: readonly string[]): void {
  const tooLong =
    segments.length > MAX_DEPTH ||
    Buffer.byteLength(join(base, ...segments)) > MAX_PATH_BYTES ||
    segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES);
  if (tooLong)
    throw Object.assign(new Error('ENAMETOOLONG: name too long'), { code: 'ENAMETOOLONG' });
}

/**
 * Makes the directory named by `segments` without the last one. Missing directories are made one by one, so that none is
 * made through a link that leads out. @returns its real path
 */
export async function makeParent(base: string, segments: readonly string[]): Promise<string> {
  refuseTooLong(base, segments);
  return makeWithin(base, segments.slice(0, -1));
}

async function makeWithin(base: string, segments: readonly string[]): Promise<string> {
  try {
    return await realWithin(base, join(base, ...segments));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  let directory = base;
  for (const segment of segments) {
    const next = join(directory, segment);
    await makeDirectory(next);
    directory = await realOfStanding(base, next);
  }
  return directory;
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    // It exists, perhaps as a link: the caller checks where that leads.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
