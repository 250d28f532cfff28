import { readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '@svc/plugin-sdk';
import type { Digests, Handed } from './files.ts';

/** `linux-x64`, `linux-arm64-musl` */
const PLATFORM = /^[a-z0-9]{1,16}-[a-z0-9]{1,16}(?:-musl)?$/;

/** The platform of this process, as machines name theirs. */
export function ownPlatform(): string {
  const { glibcVersionRuntime } = (
    process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  ).header;
  const isMusl = process.platform === 'linux' && glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/** False where this Node needs libraries of its own that another machine may lack (packages of distributions). */
const standsAlone = (): boolean =>
  !Object.entries(process.config.variables).some(
    ([name, value]) => name.startsWith('node_shared') && String(value) === 'true',
  );

/** The programs `node` that machines get: `FOLDER/PLATFORM/node`, and this server's own. */
export class Runtimes {
  readonly #folder: () => string;
  readonly #digests: Digests;

  constructor(folder: () => string, digests: Digests) {
    this.#folder = folder;
    this.#digests = digests;
  }

  /** What the operator has put there wins over this server's own program. */
  async of(platform: string): Promise<Handed | undefined> {
    if (!PLATFORM.test(platform)) return undefined;
    const put = await this.#digests.of(join(resolve(this.#folder()), platform, 'node'));
    if (put || platform !== ownPlatform() || !standsAlone()) return put;
    return this.#digests.of(await realpath(process.execPath));
  }

  async platforms(): Promise<string[]> {
    const put = await readdir(resolve(this.#folder())).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
      throw error;
    });
    return [...new Set([...put.filter((name) => PLATFORM.test(name)), ownPlatform()])].sort();
  }
}
