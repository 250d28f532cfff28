import type { Dirent } from 'node:fs';
import { lstat, mkdir, opendir, rmdir, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { WirePath } from '@svc/plugin-static-bucket/api';
import { fileStatus } from './answers.ts';
import type { DavRequest } from './request.ts';

/** One resource of a tree for which the work failed. */
export interface Failure {
  readonly href: string;
  readonly status: number;
}

/** Most failures in one answer. */
const MAX_FAILURES = 1_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Collects failures of the file system, so that the work goes on. */
export class Failures {
  readonly list: Failure[] = [];
  readonly #request: DavRequest;

  constructor(request: DavRequest) {
    this.#request = request;
  }

  /** Runs the work. @returns whether it succeeded @throws any error that is not one of the file system */
  async attempt(
    place: { readonly path: readonly string[]; readonly isCollection: boolean },
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const status = fileStatus(error);
      if (status === undefined) throw error;
      const href = this.#request.href(place.path, place.isCollection);
      if (this.list.length < MAX_FAILURES) this.list.push({ href, status });
      return false;
    }
  }
}

/** Removes a file, a link itself, or a directory with everything below it. @returns whether nothing is left */
export async function removeTree(
  real: string,
  path: readonly string[],
  failures: Failures,
): Promise<boolean> {
  const isDirectory = (await lstat(real)).isDirectory();
  return removeAt({ real: Buffer.from(real), path, isDirectory }, failures);
}

/** A place on the disk. Its path is bytes, because a name need not be UTF-8. */
interface Place {
  readonly real: Buffer;
  readonly path: readonly string[];
  readonly isDirectory: boolean;
}

const SEPARATOR = Buffer.from(sep);

async function removeAt({ real, path, isDirectory }: Place, failures: Failures): Promise<boolean> {
  const place = { path, isCollection: isDirectory };
  if (!isDirectory) return failures.attempt(place, () => gone(unlink(real)));
  let isEmpty = true;
  const walk = async () => {
    for await (const { name, isDirectory: below } of entriesOf(real)) {
      const child = Buffer.concat([real, SEPARATOR, name]);
      const member = { real: child, path: [...path, name.toString()], isDirectory: below };
      const removed = await removeAt(member, failures);
      isEmpty &&= removed;
    }
  };
  const walked = await failures.attempt(place, () => gone(walk()));
  if (!walked || !isEmpty) return false;
  return failures.attempt(place, () => gone(rmdir(real)));
}

/** The entries of a directory, read 256 at a time. */
async function* entriesOf(real: string | Buffer) {
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 256 };
  for await (const entry of (await opendir(real as string, options)) as AsyncIterable<Dirent>) {
    const name = entry.name as unknown as Buffer;
    yield { name, isDirectory: entry.isDirectory(), isFile: entry.isFile() };
  }
}

/** Ignores that a file is missing: it was removed meanwhile. */
async function gone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** One directory entry that has an address. */
export interface Member {
  readonly name: string;
  readonly path: WirePath;
  readonly isDirectory: boolean;
}

/** Files and directories directly in a real directory, without links, unfinished uploads and names that no URL can hold. */
export async function* membersOf(
  request: DavRequest,
  real: string,
  path: WirePath,
): AsyncGenerator<Member, void> {
  for await (const { name: bytes, isDirectory, isFile } of entriesOf(real)) {
    if (!isDirectory && !isFile) continue;
    const name = nameOf(bytes);
    const below = name === undefined ? undefined : childPath(request, path, name);
    if (below) yield { name: below.at(-1) as string, path: below, isDirectory };
  }
}

function nameOf(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    // A fatal decoder fails only for bytes that are not UTF-8.
    return undefined;
  }
}

function childPath(request: DavRequest, path: WirePath, name: string): WirePath | undefined {
  try {
    return request.wirePath([...path, name]);
  } catch {
    // The rule of paths refuses the name.
    return undefined;
  }
}

export interface TreeCopy {
  readonly from: WirePath;
  readonly to: WirePath;
  /** Real path of the whole copy. It is left out, so that a copy into itself ends. */
  readonly without: string;
}

/** Copies a collection with every member that a listing shows. */
export async function copyTree(
  request: DavRequest,
  { from, to, without }: TreeCopy,
  failures: Failures,
): Promise<void> {
  const place = { path: to, isCollection: true };
  const made = await failures.attempt(place, async () => {
    await request.files.charge();
    await mkdir(await request.files.prepare(to));
  });
  if (!made) return;
  await failures.attempt(place, async () => {
    const real = await request.files.locate(from, { follow: true });
    for await (const { name, path, isDirectory } of membersOf(request, real, from)) {
      if (join(real, name) === without) continue;
      const next = request.wirePath([...to, name]);
      if (isDirectory) await copyTree(request, { from: path, to: next, without }, failures);
      else
        await failures.attempt({ path: next, isCollection: false }, () =>
          copyFile(request, path, next),
        );
    }
  });
}

const CHUNK_BYTES = 256 * 1024;

/** Copies one file. Readers of the target see the old or the new one. */
export async function copyFile(request: DavRequest, from: WirePath, to: WirePath): Promise<void> {
  const source = await request.files.open(from);
  try {
    await request.files.write(to, chunks());
  } finally {
    await source.close();
  }

  async function* chunks() {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(1, source.stat.size)));
    for (let at = 0; ; ) {
      const filled = await source.fill(buffer, at);
      if (filled > 0) yield buffer.subarray(0, filled);
      if (filled < buffer.length) return;
      at += filled;
    }
  }
}
