import { randomBytes } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/driver';

const FIRST_LOOK_MS = 3_000;
const LOOK_MS = 10_000;
const BLOCK_BYTES = 2 ** 20;

/** Room on the disk that the writing thread frees when the disk is full, so that deletes can be written down. */
export const reserveOf = (file: string): string => `${file}.reserve`;

/** Size of the disk with the file, bytes. */
export async function diskBytes(file: string): Promise<number> {
  const { blocks, bsize } = await statfs(dirname(file));
  return blocks * bsize;
}

export async function freeBytes(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}

/** The default size: 2 % of the disk, at least 8 and at most 64 MB. */
export async function defaultReserve(file: string): Promise<number> {
  const part = Math.floor((await diskBytes(file)) / 50);
  return Math.max(8 * 2 ** 20, Math.min(64 * 2 ** 20, part));
}

/** Makes the reserve as soon as there is ample room for it, and again after it was freed. */
export class Reserve {
  readonly #file: string;
  readonly #bytes: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #renewing: Promise<void> | undefined;

  /** @param bytes 0: none is made, and one that is there is removed */
  constructor(file: string, bytes: number, log: Logger) {
    this.#file = file;
    this.#bytes = bytes;
    this.#log = log;
    this.#wait(FIRST_LOOK_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
  }

  #wait(delay_ms: number): void {
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew();
    }, delay_ms).unref();
  }

  async #renew(): Promise<void> {
    try {
      if (this.#bytes === 0) return await rm(reserveOf(this.#file), { force: true });
      if (!(await this.#isThere()) && (await this.#isAmple())) await this.#make();
    } catch (error) {
      // Without a reserve the server works as before; on a full disk deletes may then fail.
      this.#log.warn('The reserve for a full disk could not be made.', { error });
      return;
    }
    if (!this.#closed) this.#wait(LOOK_MS);
  }

  async #isThere(): Promise<boolean> {
    try {
      return (await stat(reserveOf(this.#file))).size === this.#bytes;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async #isAmple(): Promise<boolean> {
    const { bavail, bsize } = await statfs(dirname(this.#file));
    return bavail * bsize >= 2 * this.#bytes + 16 * 2 ** 20;
  }

  /** Random bytes: file systems that compress would keep no room for others. */
  async #make(): Promise<void> {
    const block = randomBytes(Math.min(BLOCK_BYTES, this.#bytes));
    const handle = await open(reserveOf(this.#file), 'w', 0o600);
    try {
      for (let left = this.#bytes; left > 0 && !this.#closed; left -= block.length) {
        await handle.write(block, 0, Math.min(left, block.length));
      }
    } finally {
      await handle.close();
    }
  }
}
