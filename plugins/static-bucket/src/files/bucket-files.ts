import type { Stats } from 'node:fs';
import { rename, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openFile } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import type {
  BucketFiles,
  Content,
  FileEntry,
  ListOptions,
  OpenFile,
  WirePath,
  Written,
} from '../api.ts';
import { makeBase, makeParent, realBase, realOfStanding, realWithin } from './contain.ts';
import { listTree } from './list.ts';
import { lstatIfAny, removeIfAny, replaceFile, syncDirectory } from './replace.ts';
import { Room } from './room.ts';
import { LEAST_BYTES, sizeOf, type Usage } from './usage.ts';

export interface FilesOptions {
  /** Directory of all buckets. */
  readonly root: string;
  /** The bucket's directory below it. */
  readonly segments: readonly string[];
  readonly touch: () => void;
  readonly usage: Usage;
  /** Bytes that the bucket may hold. */
  readonly most: number;
}

const COMPARED = ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

/** The files of one bucket. Every step works on real paths below its directory. */
export class FilesOfBucket implements BucketFiles {
  readonly #options: FilesOptions;

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async locate(path: WirePath, { follow }: { readonly follow: boolean }): Promise<string> {
    const base = await this.#base();
    const last = path.at(-1);
    if (follow || last === undefined) return realWithin(base, join(base, ...path));
    return join(await realWithin(base, join(base, ...path.slice(0, -1))), last);
  }

  async prepare(path: WirePath): Promise<string> {
    const base = await makeBase(this.#options.root, this.#options.segments);
    const last = path.at(-1);
    if (last === undefined) return base;
    const target = join(await makeParent(base, path), last);
    const isLink = (await lstatIfAny(target))?.isSymbolicLink();
    return isLink ? realOfStanding(base, target) : target;
  }

  async unchanged(path: WirePath, before: Stats): Promise<boolean> {
    const { root, segments } = this.#options;
    const now = await stat(join(resolve(root), ...segments, ...path)).catch((error) => {
      if (codeOf(error) === '') throw error;
      return undefined;
    });
    return now !== undefined && COMPARED.every((field) => now[field] === before[field]);
  }

  async open(path: WirePath): Promise<OpenFile> {
    return openFile(await this.locate(path, { follow: true }));
  }

  async write(path: WirePath, content: Content): Promise<Written> {
    if (path.length === 0) throw failure('EISDIR', 'the bucket itself is a directory');
    const { usage, most, touch } = this.#options;
    const target = await this.prepare(path);
    const before = await lstatIfAny(target);
    const room = new Room(usage, most, before?.size);
    try {
      const result = await replaceFile(target, await room.counted(content));
      room.kept();
      touch();
      return result;
    } catch (error) {
      room.undone();
      throw error;
    }
  }

  async charge(): Promise<void> {
    const { usage, most } = this.#options;
    await usage.ready();
    await usage.take(LEAST_BYTES, most);
  }

  async remove(path: WirePath): Promise<boolean> {
    if (path.length === 0) throw failure('EISDIR', 'the bucket itself is a directory');
    const found = await this.locate(path, { follow: false }).catch(missing);
    const before = found && (await lstatIfAny(found));
    const removed = found !== false && (await removeIfAny(found));
    if (removed) this.#options.touch();
    if (removed && before) this.#options.usage.add(-sizeOf(before.size));
    return removed;
  }

  async rename(from: WirePath, to: WirePath): Promise<void> {
    if (from.length === 0 || to.length === 0) throw failure('EBUSY', 'the bucket itself');
    const source = await this.locate(from, { follow: false });
    if (!(await lstatIfAny(source))) throw failure('ENOENT', 'the source is missing');
    // The parents of the target must not be created inside the source.
    if (from.every((segment, at) => to[at] === segment)) throw failure('EINVAL', 'into itself');
    const base = await this.#base();
    const parent = await makeParent(base, to);
    await rename(source, join(parent, to.at(-1) as string));
    this.#options.touch();
    await syncDirectory(parent);
    if (dirname(source) !== parent) await syncDirectory(dirname(source));
  }

  async list({ directory, ...options }: ListOptions): Promise<FileEntry[]> {
    const path = directory ?? [];
    const base = await this.#base().catch((error) => codeOf(error) !== 'ENOTDIR' && missing(error));
    const found = base && (await realWithin(base, join(base, ...path)).catch(missing));
    if (!found) return [];
    if (path.length > 0 && !(await stat(found)).isDirectory())
      throw failure('IS_FILE', 'a file has no files below it');
    return listTree(found, { ...options, under: path.map((part) => `${part}/`).join('') });
  }

  async quota(
    wanted = 0,
  ): Promise<{ readonly available_bytes: number; readonly used_bytes: number }> {
    const { bavail, bfree, blocks, bsize } = await statfs(await this.#base());
    const { usage, most } = this.#options;
    const left = await usage.left(most, wanted);
    return {
      available_bytes: Math.min(bavail * bsize, left),
      used_bytes: most < Number.MAX_SAFE_INTEGER ? usage.bytes : (blocks - bfree) * bsize,
    };
  }

  #base(): Promise<string> {
    return realBase(this.#options.root, this.#options.segments);
  }
}

const failure = (code: string, text: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${text}`), { code });

/** Returns false for a missing directory, where there is nothing to remove. @throws any other error */
function missing(error: unknown): false {
  if (codeOf(error) === 'ENOENT') return false;
  throw error;
}
