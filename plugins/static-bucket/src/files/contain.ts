import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { codeOf } from '@svc/plugin-sdk';

/** A symbolic link on the way leads out of the bucket. */
export class LeadsOut extends Error {
  override readonly name = 'LeadsOut';
  readonly code = 'LEADS_OUT';

  constructor() {
    super('a symbolic link leads out of the bucket');
  }
}

/** True when `path` is `base` or below it; both real. */
export const isWithin = (base: string, path: string): boolean =>
  path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);

/** The real path of something that exists. @throws LeadsOut when it is not below the real path `base` */
export async function realWithin(base: string, path: string): Promise<string> {
  const real = await realpath(path);
  if (!isWithin(base, real)) throw new LeadsOut();
  return real;
}

/** As `realWithin`, for something that stands there: a link to nothing is refused, nobody can tell where it would lead. */
export async function realOfStanding(base: string, path: string): Promise<string> {
  try {
    return await realWithin(base, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw (await lstat(path)).isSymbolicLink() ? new LeadsOut() : error;
  }
}

/**
 * The real directory of a bucket. No link may stand between the static root and it: whoever may create buckets could
 * otherwise step through a link that stands in another bucket's directory.
 * @throws ENOENT, LeadsOut
 */
export async function realBase(root: string, segments: readonly string[]): Promise<string> {
  const base = join(await realpath(resolve(root)), ...segments);
  if ((await realpath(base)) !== base) throw new LeadsOut();
  return base;
}

/** As `realBase`; what is missing is created. */
export async function makeBase(root: string, segments: readonly string[]): Promise<string> {
  await mkdir(resolve(root), { recursive: true });
  await makeWithin(await realpath(resolve(root)), segments);
  return realBase(root, segments);
}

/** Directories inside each other that may be created; deeper ones that exist can be read. */
const MAX_DEPTH = 100;
const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Looked at before anything is created: a path that fails at its end must not leave half of its directories. */
function refuseTooLong(base: string, segments: readonly string[]): void {
  const tooLong =
    segments.length > MAX_DEPTH ||
    Buffer.byteLength(join(base, ...segments)) > MAX_PATH_BYTES ||
    segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES);
  if (tooLong)
    throw Object.assign(new Error('ENAMETOOLONG: name too long'), { code: 'ENAMETOOLONG' });
}

/**
 * Makes the directory that `segments` without the last one name, one by one where something is missing, so that none
 * is made behind a link that leads out. @returns its real path
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
    // There already, perhaps as a link: the caller looks where it leads.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
