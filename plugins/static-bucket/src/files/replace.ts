import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Content, Written } from '../api.ts';
import { temporaryName } from './temporary.ts';

const PERMISSIONS = 0o777;

/**
 * Replaces a whole file: temporary file in the same directory, fsync, rename, fsync of the directory. The new file gets
 * the mode of the old one; after a failure the old file is unchanged.
 * @returns whether the file is new, and its stat
 */
export async function replaceFile(target: string, content: Content): Promise<Written> {
  const before = await lstatIfAny(target);
  if (before?.isDirectory()) throw directoryInPlace(target);
  const temporary = join(dirname(target), temporaryName());
  let stat: Stats;
  try {
    stat = await writeAll(temporary, content, before);
    await rename(temporary, target);
  } catch (error) {
    await removeIfAny(temporary);
    throw error;
  }
  await syncDirectory(dirname(target));
  return { created: before === undefined, stat };
}

async function writeAll(path: string, content: Content, before: Stats | undefined): Promise<Stats> {
  const handle = await open(path, 'wx');
  try {
    if (before) await handle.chmod(before.mode & PERMISSIONS);
    if (content instanceof Uint8Array) await writeFully(handle, content);
    else await writeStream(handle, content);
    if (before) await makeLater(handle, before);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

const SECOND_MS = 1000;

/** Sets a later time than the old file has: two versions within one tick of the file system would share an entity tag. */
async function makeLater(handle: FileHandle, { mtimeMs }: Stats): Promise<void> {
  const now = await handle.stat();
  const behind_ms = mtimeMs - now.mtimeMs;
  if (behind_ms < 0 || behind_ms > SECOND_MS) return;
  await handle.utimes(now.atimeMs / SECOND_MS, (mtimeMs + 1) / SECOND_MS);
}

const FLUSH_BYTES = 16 * 1024 * 1024;

/** Flushes every 16 MiB while the content comes. Otherwise the flush at the end of a large file would take long. */
async function writeStream(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<void> {
  let unflushed = 0;
  let flushing: Promise<unknown> | undefined;
  let failure: unknown;
  try {
    for await (const chunk of content) {
      await writeFully(handle, chunk);
      unflushed += chunk.length;
      if (failure) throw failure;
      if (unflushed < FLUSH_BYTES || flushing) continue;
      unflushed = 0;
      flushing = handle.datasync().then(
        () => {
          flushing = undefined;
        },
        (error) => {
          failure = error;
        },
      );
    }
  } finally {
    await flushing;
  }
  if (failure) throw failure;
}

/** Writes all bytes: one write may take fewer. */
async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}

const directoryInPlace = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`EISDIR: a directory stands at ${path}`), { code: 'EISDIR' });

/** The stat of a path, links not followed; undefined when it names nothing. */
export async function lstatIfAny(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a file. @returns false when the path named nothing */
export async function removeIfAny(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Makes a rename survive a power cut. Not on Windows, which cannot open directories and does not need it. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
