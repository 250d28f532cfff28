import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { FileEntry, ListOptions } from '../api.ts';
import { isTemporary } from './temporary.ts';

/** Error for a listing that is larger than a response may be. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
  readonly code = 'TOO_MUCH';
}

/** Error for a directory that could not be read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly code = 'UNREADABLE';
}

/** JSON bytes of an entry without its path: `{"path":"","size":,"mtime":},` and some digits. */
const ENTRY_BYTES = 40;
const STATS_AT_ONCE = 32;
const decoder = new TextDecoder('utf-8', { fatal: true });

interface Options extends Omit<ListOptions, 'directory'> {
  /** Prefix of each path: empty, or the directory's own path with a slash at its end. */
  readonly under: string;
}

/** Every regular file below a real directory, links not followed, unfinished uploads left out, in byte order of the path. */
export async function listTree(base: string, options: Options): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  let bytes = 0;
  const directories = [''];
  for (let prefix = directories.pop(); prefix !== undefined; prefix = directories.pop()) {
    options.signal?.throwIfAborted();
    const { files, folders } = await readDirectory(join(base, prefix), prefix);
    directories.push(...folders.map((name) => `${prefix}${name}/`));
    for (const entry of await statAll(base, files)) {
      const path = options.under + entry.path;
      bytes += ENTRY_BYTES + Buffer.byteLength(path);
      if (bytes > options.maxBytes)
        throw new TooMuch('the listing is larger than a response may be');
      found.push({ ...entry, path });
    }
  }
  return sortByBytes(found);
}

async function readDirectory(path: string, prefix: string) {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of await entriesOf(path, prefix === '')) {
    const name = textOf(entry.name as unknown as Buffer);
    if (name === undefined || isTemporary(name)) continue;
    if (entry.isDirectory()) folders.push(name);
    else if (entry.isFile()) files.push(prefix + name);
  }
  return { files, folders };
}

/** The entries of a directory. One that was removed meanwhile has none, nor has a bucket without directory. */
async function entriesOf(path: string, top: boolean): Promise<Dirent[]> {
  try {
    const entries: unknown = await readdir(path, {
      withFileTypes: true,
      encoding: 'buffer' as never,
    });
    return entries as Dirent[];
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || (top && code === 'ENOTDIR')) return [];
    throw new Unreadable(`cannot read a directory: ${code}`, { cause });
  }
}

/** The name as text; undefined when it is not UTF-8 and so cannot be sent. */
function textOf(name: Buffer): string | undefined {
  try {
    return decoder.decode(name);
  } catch {
    // A fatal decoder fails only for bytes that are not UTF-8.
    return undefined;
  }
}

async function statAll(base: string, paths: readonly string[]): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for (let at = 0; at < paths.length; at += STATS_AT_ONCE) {
    const some = paths.slice(at, at + STATS_AT_ONCE);
    const entries = await Promise.all(some.map((path) => entryOf(base, path)));
    found.push(...entries.filter((entry) => entry !== undefined));
  }
  return found;
}

async function entryOf(base: string, path: string): Promise<FileEntry | undefined> {
  try {
    const stat = await lstat(join(base, path));
    if (!stat.isFile()) return undefined;
    return { path, size: stat.size, mtime: Math.max(0, Math.floor(stat.mtimeMs)) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Sorts by the bytes of the path. JavaScript compares UTF-16 units, which gives another order for some characters. */
function sortByBytes(entries: FileEntry[]): FileEntry[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.path).toString('latin1'),
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return keyed.map(({ entry }) => entry);
}
