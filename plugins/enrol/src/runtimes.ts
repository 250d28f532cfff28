import { readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Digests, Handed } from './files.ts';

/** `linux-x64`, `linux-arm64-musl` */
const PLATFORM = /^[a-z0-9]{1,16}-[a-z0-9]{1,16}(?:-musl)?$/;

let own: string | undefined;

/** The platform of this process, as machines name theirs: looked up once, for each report holds the server up. */
export function ownPlatform(): string {
  own ??= `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
  return own;
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  const { excludeNetwork = false } = report;
  // The report would look up the names of everybody who is connected, one after the other.
  report.excludeNetwork = true;
  const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } };
  report.excludeNetwork = excludeNetwork;
  return header.glibcVersionRuntime === undefined;
}

/** Tells whether this Node needs no libraries of its own that another machine may lack (packages of distributions). */
const standsAlone = (): boolean =>
  !Object.entries(process.config.variables).some(
    ([name, value]) => name.startsWith('node_shared') && String(value) === 'true',
  );

/** Parts that machines of a platform get with the agent: the program that runs it, and the addon that opens terminals. */
export const PARTS = { runtime: 'node', terminal: 'pty.node' } as const;
export type Part = keyof typeof PARTS;

/** Path of the addon that is installed with the agent; undefined where npm had no registry. */
function ownAddon(): string | undefined {
  try {
    const { resolve: find } = createRequire(import.meta.url);
    return find(`@lydell/node-pty-${ownPlatform()}/${PARTS.terminal}`);
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const OWN: Readonly<Record<Part, () => string | undefined>> = {
  runtime: () => (standsAlone() ? process.execPath : undefined),
  terminal: ownAddon,
};

/** The files of `PARTS`: `FOLDER/PLATFORM/node`, and this server's own for its own platform. */
export class Runtimes {
  readonly #folder: () => string;
  readonly #digests: Digests;

  constructor(folder: () => string, digests: Digests) {
    this.#folder = folder;
    this.#digests = digests;
  }

  /** Returns the file of a part; one that the operator has put there wins over this server's own. */
  async of(part: Part, platform: string): Promise<Handed | undefined> {
    if (!PLATFORM.test(platform)) return undefined;
    const put = await this.#digests.of(join(resolve(this.#folder()), platform, PARTS[part]));
    if (put || platform !== ownPlatform()) return put;
    const own = OWN[part]();
    return own === undefined ? undefined : this.#digests.of(await realpath(own));
  }

  async platforms(): Promise<string[]> {
    const put = await readdir(resolve(this.#folder())).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
      throw error;
    });
    return [...new Set([...put.filter((name) => PLATFORM.test(name)), ownPlatform()])].sort();
  }
}
