import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import { MANIFEST, MANIFEST_DIGEST, type Manifest, readManifest } from './manifest.ts';
import { readTar, type TarEntry } from './tar.ts';

const CHUNK_BYTES = 256 * 1024;

/** A finished backup. */
export interface Backup {
  readonly manifest: Manifest;
  /** The stored bytes of a part. */
  open(path: string): Readable;
  close(): Promise<void>;
}

interface Files {
  readonly sizes: ReadonlyMap<string, number>;
  open(path: string): Readable;
  close(): Promise<void>;
}

/** The archive or folder at this path; of a folder with several backups the newest. @throws UserError */
export async function openBackup(path: string): Promise<Backup> {
  const kind = await stat(path).catch((error: unknown) => {
    throw new UserError(`cannot read the backup ${path}: ${(error as Error).message}`);
  });
  const files = kind.isDirectory() ? await folderFiles(await newestIn(path)) : await tarFiles(path);
  try {
    for (const name of [MANIFEST, MANIFEST_DIGEST])
      if (!files.sizes.has(name))
        throw new UserError(`${path} is no whole backup: it has no ${name}`);
    const [manifest, digest] = [files.open(MANIFEST), files.open(MANIFEST_DIGEST)];
    return {
      manifest: readManifest(await text(manifest), await text(digest)),
      open: files.open,
      close: files.close,
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

async function tarFiles(path: string): Promise<Files> {
  const file = await open(path);
  try {
    const entries = new Map((await readTar(file)).map((entry) => [entry.name, entry]));
    return {
      sizes: new Map([...entries].map(([name, { size }]) => [name, size])),
      open(name) {
        const entry = entries.get(name);
        if (!entry) throw new UserError(`the backup lacks '${name}'`);
        return Readable.from(chunksOf(file, entry));
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Streams of the handle itself would each leave a listener on it. */
async function* chunksOf(file: FileHandle, { offset, size }: TarEntry): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const length = Math.min(CHUNK_BYTES, size - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset + at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function folderFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = new Map<string, number>();
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name);
    sizes.set(relative(folder, path).replaceAll(sep, '/'), (await stat(path)).size);
  }
  return {
    sizes,
    open: (name) => createReadStream(join(folder, name)),
    close: async () => {},
  };
}

/** Names of the backups in a folder, the oldest first. */
export async function backupsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => BACKUP_NAME.test(name)).sort();
}

/** `backup-2026-11-23T07-00-00.000Z` */
export const BACKUP_NAME = /^backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

async function newestIn(folder: string): Promise<string> {
  const newest = (await backupsIn(folder)).at(-1);
  return newest === undefined ? folder : join(folder, newest);
}

/** Reads everything once. @throws UserError that names the first part that is missing or changed */
export async function verify({ manifest, open }: Backup, report: (path: string) => void) {
  for (const { path, bytes, sha256 } of manifest.parts) {
    report(path);
    const hash = createHash('sha256');
    let found = 0;
    try {
      for await (const chunk of open(path)) {
        found += chunk.length;
        hash.update(chunk);
      }
    } catch (error) {
      throw new UserError(
        `the backup's part '${path}' cannot be read: ${(error as Error).message}`,
      );
    }
    if (found !== bytes || hash.digest('hex') !== sha256)
      throw new UserError(
        `the backup's part '${path}' is damaged: it does not fit its digest; nothing was restored`,
      );
  }
}

/** A part that is kept in memory. */
export const bytesOf = (backup: Backup, path: string): Promise<Buffer> => buffer(backup.open(path));
