import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '@svc/plugin-sdk/util';

/** A file that machines download. */
export interface Handed {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of its content, hex. */
  readonly digest: string;
}

/** Digests of files, computed anew when a file changes. Files are those of the operator, so there are few. */
export class Digests {
  readonly #cached = new Map<
    string,
    { readonly state: string; readonly handed: Promise<Handed> }
  >();

  /** @returns undefined: there is no such file */
  async of(path: string): Promise<Handed | undefined> {
    try {
      const { size, mtimeMs } = await stat(path);
      const state = `${size} ${mtimeMs}`;
      const cached = this.#cached.get(path);
      if (cached?.state === state) return await cached.handed;
      const handed = digestOf(path).then((digest) => ({ path, size, digest }));
      this.#cached.set(path, { state, handed });
      return await handed;
    } catch (error) {
      this.#cached.delete(path);
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
      throw error;
    }
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
