import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, within } from '@svc/plugin-sdk/util';
import { isTemporary } from './temporary.ts';

/** Bytes for which a file or directory counts at least, as on the disk: empty files are not free. */
export const LEAST_BYTES = 4_096;
/** Longest time that a write waits for the first count. */
const FIRST_MS = 2_000;
/** Time after which changes by other programs or servers are seen. */
const AGAIN_MS = 60_000;
/** Reciprocal of the share of time that counting takes at most. */
const SHARE = 20;
/** Most time of a count per entry, ms: a longer one was held up by other work, which does not predict the next one. */
const ENTRY_MS = 1;
/** Longest time that a write that would be refused waits for the next count. */
const PATIENCE_MS = 1_000;

/** Error for a bucket that holds as many bytes as it may. */
export class BucketFull extends Error {
  override readonly name = 'BucketFull';
  readonly code = 'BUCKET_FULL';

  constructor(most: number) {
    super(
      `the bucket may hold ${most} bytes, which this would exceed: delete files, or have max_bucket_bytes under [static-bucket] raised`,
    );
  }
}

export const sizeOf = (bytes: number): number => Math.max(bytes, LEAST_BYTES);

/**
 * The bytes of one directory: counted once, then kept by the changes that pass through this server, and counted again
 * in the background, and before a write is refused. Counting never takes more than a twentieth of the time, where an entry
 * takes no longer than `ENTRY_MS`.
 */
export class Usage {
  readonly #base: () => Promise<string>;
  #bytes = 0;
  /** Bytes of files whose content is still arriving. */
  #coming = 0;
  /** Bytes added since the count in progress began. */
  #added = 0;
  #counted = false;
  #counting: Promise<void> | undefined;
  /** `performance.now()` from which it may be counted again, and from which it should. */
  #mayAt = 0;
  #shouldAt = 0;

  constructor(base: () => Promise<string>) {
    this.#base = base;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Tells whether nothing is being written or counted. */
  get idle(): boolean {
    return this.#coming === 0 && this.#counting === undefined;
  }

  /** Resolves when the bytes are known well enough. */
  async ready(): Promise<void> {
    if (!this.#counted) await within(FIRST_MS, this.#count());
    else if (performance.now() >= this.#shouldAt) void this.#count();
  }

  /** @param credit what goes when the work succeeds @throws BucketFull */
  async take(bytes: number, most: number, credit = 0): Promise<void> {
    const exceeds = () => this.#bytes + bytes > most + credit;
    if (exceeds()) await this.#countSoon();
    if (exceeds()) throw new BucketFull(most);
    this.add(bytes);
  }

  /** Bytes that still fit; counted again when they are fewer than `wanted`. */
  async left(most: number, wanted: number): Promise<number> {
    await this.ready();
    if (most - this.#bytes < wanted) await this.#countSoon();
    return Math.max(0, most - this.#bytes);
  }

  /** Works like `take`, for a file whose content is still arriving. */
  async receive(bytes: number, most: number, credit: number): Promise<void> {
    await this.take(bytes, most, credit);
    this.#coming += bytes;
  }

  /** Ends what `receive` began: the content has arrived, or the file was given up. */
  received(bytes: number): void {
    this.#coming -= bytes;
  }

  /** Adds to the count; negative: bytes that have gone. */
  add(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes + bytes);
    this.#added += bytes;
  }

  /** Counts again, as some of the files may have gone without this server's knowledge. */
  async #countSoon(): Promise<void> {
    const wait_ms = this.#mayAt - performance.now();
    if (wait_ms > PATIENCE_MS) return;
    if (wait_ms > 0) await delay(wait_ms);
    await this.#count();
  }

  #count(): Promise<void> {
    this.#counting ??= this.#walk().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #walk(): Promise<void> {
    const began = performance.now();
    const coming = this.#coming;
    let entries = 0;
    this.#added = 0;
    try {
      let found = 0;
      for await (const bytes of sizesBelow(await this.#base())) {
        found += bytes;
        entries++;
      }
      // What was finished meanwhile may count twice, until the next count.
      const finished = Math.max(0, this.#added - this.#coming + coming);
      this.#bytes = found + this.#coming + finished;
    } catch {
      // There is no directory yet, or it may not be read: what this server adds is known nevertheless.
      this.#bytes = Math.max(this.#bytes, this.#added);
    }
    this.#counted = true;
    const took = Math.min(performance.now() - began, entries * ENTRY_MS);
    this.#mayAt = performance.now() + SHARE * took;
    this.#shouldAt = Math.max(this.#mayAt, performance.now() + AGAIN_MS);
  }
}

/** Bytes of each file and directory below a real directory, links not followed, without uploads on their way. */
async function* sizesBelow(base: string): AsyncIterable<number> {
  const directories = [base];
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    for await (const entry of await opened(path)) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) directories.push(child);
      else if (isTemporary(entry.name)) continue;
      const { size } = entry.isFile() ? await sizeIfAny(child) : { size: 0 };
      yield sizeOf(size);
    }
  }
}

/** The entries of a directory; none when it was removed meanwhile. */
async function opened(path: string): Promise<AsyncIterable<Dirent>> {
  try {
    return await opendir(path, { bufferSize: 256 });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return (async function* () {})();
  }
}

const sizeIfAny = (path: string): Promise<{ readonly size: number }> =>
  lstat(path).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return { size: 0 };
  });
