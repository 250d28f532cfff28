import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk';
import type { Representation } from '@svc/plugin-static-bucket/api';

/** Content codings in order of preference, with the ending of the file that the build has put beside the other. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** One folder below, no dot in front: names that the build gives. */
const NAME = /^(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const YEAR = 'public, max-age=31536000, immutable';

/** The files that the build has made. Those under `assets/` carry a digest in their name and stay in memory. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #typeOf: (name: string) => string;
  readonly #kept = new Map<string, Representation>();

  constructor(folder: string, typeOf: (name: string) => string) {
    this.#folder = folder;
    this.#typeOf = typeOf;
  }

  /** The text of a file; undefined where there is none. */
  async text(name: string): Promise<string | undefined> {
    return (await this.#read(name))?.toString('utf8');
  }

  /** What is sent for a name, in the best coding that the client takes; undefined where there is no such file. */
  async find(name: string, accepted: string): Promise<Representation | undefined> {
    if (!NAME.test(name)) return undefined;
    for (const [coding, ending] of CODINGS) {
      if (!takes(accepted, coding)) continue;
      const found = await this.#one(name, coding, ending);
      if (found) return found;
    }
    return this.#one(name, undefined, '');
  }

  async #one(name: string, coding: string | undefined, ending: string) {
    const kept = this.#kept.get(name + ending);
    if (kept) return kept;
    const body = await this.#read(name + ending);
    if (!body) return undefined;
    const made = representation(body, this.#typeOf(name), {
      coding,
      cache: name.startsWith('assets/') ? YEAR : 'no-cache',
    });
    if (name.startsWith('assets/')) this.#kept.set(name + ending, made);
    return made;
  }

  async #read(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, name));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return undefined;
      throw error;
    }
  }
}

const takes = (accepted: string, coding: string) =>
  accepted
    .split(',')
    .some((part) =>
      new RegExp(`^\\s*${coding}\\s*(?:;(?!\\s*q=0(?:\\.0*)?\\s*$)|$)`, 'i').test(part),
    );

function representation(
  body: Uint8Array,
  type: string,
  { coding, cache }: { readonly coding: string | undefined; readonly cache: string },
): Representation {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return {
    size: body.length,
    mtime_ms: 0,
    etag,
    common: ['etag', etag, 'cache-control', cache, 'vary', 'accept-encoding'],
    entity: [
      'content-type',
      type,
      'x-content-type-options',
      'nosniff',
      ...(coding === undefined ? [] : ['content-encoding', coding]),
    ],
    body,
  };
}
