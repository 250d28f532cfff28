import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** An open file or directory. The bytes that are read belong to `stat`, even after a replacement. */
export interface OpenFile {
  readonly stat: Stats;
  /** Fills the buffer from this position on. @returns bytes read: fewer only at the end of the file */
  fill(buffer: Uint8Array, position: number): Promise<number>;
  /** Returns false once size or time differ from `stat`. */
  isUnchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opening a pipe must not block the thread, and a path that has become a link must not be followed. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file or directory by its real path. @throws ENOENT for anything else */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, READ);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() && !stat.isDirectory())
      throw Object.assign(new Error('ENOENT: no regular file'), { code: 'ENOENT' });
    return new Opened(handle, stat);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class Opened implements OpenFile {
  readonly stat: Stats;
  readonly #handle: FileHandle;

  constructor(handle: FileHandle, stat: Stats) {
    this.#handle = handle;
    this.stat = stat;
  }

  async fill(buffer: Uint8Array, position: number): Promise<number> {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await this.#handle.read(
        buffer,
        filled,
        buffer.length - filled,
        position + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async isUnchanged(): Promise<boolean> {
    const { size, mtimeMs } = await this.#handle.stat();
    return size === this.stat.size && mtimeMs === this.stat.mtimeMs;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
