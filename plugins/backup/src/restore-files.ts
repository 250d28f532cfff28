import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readlink, rename, symlink, utimes } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UserError } from '@svc/plugin-sdk';
import { BUCKETS, CALLERS, type Part } from './manifest.ts';
import type { Backup } from './reader.ts';
import { unlessGone } from './unless-gone.ts';

/** Destination of files. */
export interface Places {
  /** Undefined: the plugin with the databases of callers is not loaded. */
  readonly callerFile: ((name: string) => string) | undefined;
  /** The folder of all buckets; undefined: the plugin is not loaded. */
  readonly buckets: string | undefined;
  readonly report: (line: string) => void;
}

interface Placed {
  readonly part: Part;
  readonly file: string;
  readonly open: () => Readable;
}

/**
 * Writes the databases of callers and the files of buckets. A file that is there already with the same content stays,
 * so that an interrupted restore can be repeated.
 * @throws UserError that names a file with another content; nothing is written then
 */
export async function restoreFiles(backup: Backup, places: Places): Promise<void> {
  const files = backup.manifest.parts.flatMap((part) => placeOf(part, backup, places) ?? []);
  const missing: Placed[] = [];
  for (const placed of files) if (!(await isThere(placed))) missing.push(placed);
  for (const [at, { part, file, open }] of missing.entries()) {
    places.report(`writing file ${at + 1} of ${missing.length}`);
    const unfinished = `${file}.restoring`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(open(), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    const time = (part.mtime_ms ?? Date.now()) / 1000;
    await utimes(unfinished, time, time);
    await rename(unfinished, file);
  }
  if (places.buckets !== undefined) await restoreShape(backup, places.buckets);
}

function placeOf(part: Part, backup: Backup, places: Places): Placed | undefined {
  const { path } = part;
  const { callerFile, buckets } = places;
  if (path.startsWith(CALLERS)) {
    if (!callerFile) throw notLoaded('db', 'databases of callers');
    const file = callerFile(path.slice(CALLERS.length, -'.db.gz'.length));
    return { part, file, open: () => unpacked(backup.open(path)) };
  }
  if (!path.startsWith(BUCKETS)) return undefined;
  if (buckets === undefined) throw notLoaded('static-bucket', 'files of buckets');
  const file = below(buckets, path.slice(BUCKETS.length));
  return { part, file, open: () => backup.open(path) };
}

const notLoaded = (plugin: string, what: string) =>
  new UserError(`the backup has ${what}: add ${plugin} to \`plugins\`; nothing was restored`);

/** A failure of the source ends the stream, too. */
function unpacked(source: Readable): Readable {
  const target = createGunzip();
  pipeline(source, target).catch((error: Error) => target.destroy(error));
  return target;
}

/** @throws UserError for a path that leads out: no backup of this program has one */
function below(folder: string, path: string): string {
  const file = resolve(folder, path);
  if (file.startsWith(resolve(folder) + sep)) return file;
  throw new UserError(`the backup's part '${path}' leads out of ${folder}; nothing was restored`);
}

/** @throws UserError for a file with another content */
async function isThere({ file, open }: Placed): Promise<boolean> {
  const found = await unlessGone(lstat(file));
  if (!found) return false;
  const isSame =
    found.isFile() && (await digestOf(createReadStream(file))) === (await digestOf(open()));
  if (isSame) return true;
  throw new UserError(
    `${file} is there already, and differs from the backup: restore into empty folders (db_path, static_path); nothing was restored`,
  );
}

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

/** Links and empty folders; a link is never written through, because files came first. */
async function restoreShape({ manifest: { links, empty } }: Backup, buckets: string) {
  for (const path of empty) await mkdir(below(buckets, path), { recursive: true, mode: 0o700 });
  for (const [path, target] of Object.entries(links)) {
    const link = below(buckets, path);
    if ((await unlessGone(readlink(link))) === target) continue;
    await mkdir(dirname(link), { recursive: true, mode: 0o700 });
    await symlink(target, link);
  }
}
