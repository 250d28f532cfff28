import { codeOf } from '@svc/plugin-sdk/util';
import type {
  Bucket,
  BucketFiles,
  FileServer,
  OpenFile,
  Representation,
  StaticBuckets,
  WirePath,
} from '@svc/plugin-static-bucket/api';
import { type Encoding, encodings, isCompressible } from './encodings.ts';
import { isMissing } from './failures.ts';
import { contentOf, representationOf } from './representation.ts';

const INDEX = 'index.html';
const SECOND_MS = 1000;

/** One file ready to be sent. */
export interface Site {
  readonly path: WirePath;
  readonly file: OpenFile;
  /** The file itself; `encoded` holds the pre-compressed files next to it. */
  readonly main: Representation;
  readonly encoded: ReadonlyMap<Encoding, Representation>;
}

/** Thing that a URL path names in a bucket. */
export type Found =
  | { readonly kind: 'file'; readonly site: Site }
  /** A directory with an index, asked for without trailing slash. */
  | { readonly kind: 'redirect' }
  /** A directory without index. */
  | { readonly kind: 'directory'; readonly etag: string }
  | { readonly kind: 'missing' };

export interface Wanted {
  readonly bucket: Bucket;
  /** Percent-encoded, below the bucket. */
  readonly raw: string;
  /** Tells which encodings the client accepts. Of a large file only such an encoding is opened. */
  readonly accepts: (encoding: Encoding) => boolean;
}

/** Finds and opens what a URL path names. */
export class SiteFiles {
  readonly #buckets: StaticBuckets;
  readonly #server: FileServer;

  constructor(buckets: StaticBuckets, server: FileServer) {
    this.#buckets = buckets;
    this.#server = server;
  }

  /** @throws RpcError 108, URIError, LeadsOut, file system errors */
  async find(wanted: Wanted): Promise<Found> {
    const { bucket, raw } = wanted;
    const files = this.#buckets.files(bucket);
    const given = this.#buckets.wirePath(raw, 'http');
    const path = given.length === 0 ? this.#child(given, INDEX) : given;
    const file = await openIfAny(files, path);
    if (!file) return { kind: 'missing' };
    if (file.stat.isFile()) return { kind: 'file', site: await this.#load(path, file, wanted) };
    await file.close();
    const index = given.length === 0 ? undefined : await this.#index(files, path);
    if (!index) return { kind: 'directory', etag: this.#server.etag(file.stat) };
    if (raw.endsWith('/'))
      return { kind: 'file', site: await this.#load(this.#child(path, INDEX), index, wanted) };
    await index.close();
    return { kind: 'redirect' };
  }

  async #index(files: BucketFiles, directory: WirePath): Promise<OpenFile | undefined> {
    const index = await openIfAny(files, this.#child(directory, INDEX));
    if (index === undefined || index.stat.isFile()) return index;
    await index.close();
    return undefined;
  }

  async #load(path: WirePath, opened: OpenFile, wanted: Wanted): Promise<Site> {
    const files = this.#buckets.files(wanted.bucket);
    const type = this.#server.webType(path.at(-1) ?? '');
    const { cors } = wanted.bucket;
    const { file, body } = await contentOf(opened, () => files.open(path));
    const etag = this.#server.etag(file.stat);
    const main = representationOf(file, body, { type, cors, etag });
    const encoded = new Map<Encoding, Representation>();
    const site = { path, file, main, encoded };
    if (!isCompressible(type)) return site;
    try {
      for (const { name, ending } of encodings) {
        // A small file is kept with all its encodings, for all clients. Of a large one a single encoding is opened.
        if (body === file && (encoded.size > 0 || !wanted.accepts(name))) continue;
        const sibling = this.#child(path.slice(0, -1), `${path.at(-1)}${ending}`);
        const coded = await codedOf(files, sibling, site);
        if (!coded) continue;
        const facts = { type, cors, encoding: name, etag: this.#server.etag(coded.file.stat) };
        encoded.set(name, representationOf(coded.file, coded.body, facts));
      }
      return site;
    } catch (error) {
      await closeSite(site);
      throw error;
    }
  }

  /** The path of a file in a directory. */
  #child(directory: readonly string[], name: string): WirePath {
    return this.#buckets.wirePath([...directory, name].join('/'), 'rpc');
  }
}

/** The content of a pre-compressed file; undefined when it is older than the file itself, or not smaller. */
async function codedOf(files: BucketFiles, path: WirePath, { file: { stat } }: Pick<Site, 'file'>) {
  const sibling = await openIfAny(files, path).catch((error) => {
    // A link that leads out is ignored: the file itself can be served.
    if (codeOf(error) === 'LEADS_OUT') return undefined;
    throw error;
  });
  if (!sibling) return undefined;
  const seconds = (ms: number) => Math.floor(ms / SECOND_MS);
  const isNewer = seconds(sibling.stat.mtimeMs) >= seconds(stat.mtimeMs);
  if (sibling.stat.isFile() && isNewer && sibling.stat.size < stat.size)
    return contentOf(sibling, () => files.open(path));
  await sibling.close();
  return undefined;
}

/** Closes what `find` left open. */
export async function closeSite({ main, encoded }: Site): Promise<void> {
  for (const { body } of [main, ...encoded.values()]) {
    if (!(body instanceof Uint8Array)) await body.close();
  }
}

async function openIfAny(files: BucketFiles, path: WirePath): Promise<OpenFile | undefined> {
  try {
    return await files.open(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
