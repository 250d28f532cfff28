import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Principal } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Bucket, BucketFiles, WirePath } from '@svc/plugin-static-bucket/api';
import type { Address } from './addresses.ts';
import { failedCondition, Refusal } from './answers.ts';
import { checkConditions } from './conditions.ts';
import { etagOf } from './etags.ts';
import { holds, parseIf, type ResourceState, tokensOf } from './if-header.ts';
import { blocking, type Change, covers, type Lock } from './locks.ts';
import type { Parts } from './parts.ts';
import { type Key, keyOf } from './paths.ts';

const MAX_HREFS = 100;

/** One authorised request on one bucket. */
export class DavRequest {
  readonly exchange: Exchange;
  readonly bucket: Bucket;
  readonly caller: Principal;
  readonly files: BucketFiles;
  readonly parts: Parts;
  readonly path: WirePath;
  /** Tells whether the URL ended in `/`. */
  readonly slash: boolean;

  constructor(
    parts: Parts,
    given: { exchange: Exchange; bucket: Bucket; caller: Principal; address: Address },
  ) {
    this.parts = parts;
    this.exchange = given.exchange;
    this.bucket = given.bucket;
    this.caller = given.caller;
    this.files = parts.buckets.files(given.bucket);
    this.path = this.wirePath(given.address.segments);
    this.slash = given.address.slash;
  }

  get headers() {
    return this.exchange.request.headers;
  }

  get key(): Key {
    return keyOf(this.path);
  }

  get now(): number {
    return this.parts.clock.now();
  }

  /** @throws RpcError 108 */
  wirePath(segments: readonly string[]): WirePath {
    return this.parts.buckets.wirePath(segments.map(encodeURIComponent).join('/'), 'webdav');
  }

  href(path: readonly string[], isCollection: boolean): string {
    return this.parts.addresses.href(this.bucket.name, path, isCollection);
  }

  /** The stat of a path, links followed; undefined when it names nothing. Makes the bucket's own directory when it is missing. */
  async look(path: WirePath = this.path): Promise<Stats | undefined> {
    try {
      const real =
        path.length === 0
          ? await this.files.prepare(path)
          : await this.files.locate(path, { follow: true });
      return await stat(real);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @throws Refusal 404 */
  async mustExist(): Promise<Stats> {
    const found = await this.look();
    if (!found) throw new Refusal(404);
    return found;
  }

  /** Requires that the parent is a collection. @throws Refusal 409 */
  async requireParent(path: WirePath = this.path): Promise<void> {
    const parent = await this.look(this.wirePath(path.slice(0, -1))).catch((error) => {
      if (codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    });
    if (!parent?.isDirectory()) throw new Refusal(409);
  }

  /** Checks the conditions of HTTP, then the `If` field of WebDAV. @throws Refusal 412, 400 */
  async checkConditions(found: Stats | undefined): Promise<void> {
    checkConditions(this.headers, found);
    await this.checkIf();
  }

  /** Checks the `If` field. @throws Refusal 412, 400 */
  async checkIf(): Promise<void> {
    const lists = this.#lists();
    if (lists.length === 0) return;
    const states = new Map<string | undefined, ResourceState>();
    for (const list of lists) {
      const state = states.get(list.tag) ?? (await this.#stateOf(list.tag));
      states.set(list.tag, state);
      if (holds(list, state)) return;
    }
    throw new Refusal(412);
  }

  /** Checks the locks around the changes. @throws Refusal 423 naming locks that the caller did not submit */
  async checkLocks(...changes: readonly Change[]): Promise<void> {
    const tokens = tokensOf(this.#lists());
    const found = new Set<Key>();
    for (const change of changes) {
      const options = { now: this.now, below: change.below === true };
      const locks = await this.parts.locks.around(this.bucket.id, change.path, options);
      const stand = blocking(locks, change, (lock) => tokens.has(lock.token) && this.owns(lock));
      for (const path of stand) found.add(path);
    }
    if (found.size === 0) return;
    const hrefs = [...found]
      .slice(0, MAX_HREFS)
      .map((path) => `<D:href>${this.hrefOf(path)}</D:href>`);
    throw failedCondition(
      423,
      `<D:lock-token-submitted>${hrefs.join('')}</D:lock-token-submitted>`,
    );
  }

  /** Tells whether the caller took the lock or is the Super Token. Any reader sees the lock's token: it proves nothing. */
  owns(lock: Lock): boolean {
    return this.caller.super || lock.principal === this.caller.id;
  }

  /** The address of a key, without the slash of a collection. */
  hrefOf(key: Key): string {
    return this.href(key === '' ? [] : key.split('/'), key === '');
  }

  /** Drops the properties of an earlier resource at this path, which was not removed through WebDAV. */
  async created(path: WirePath = this.path): Promise<void> {
    await this.parts.properties.drop(this.bucket.id, keyOf(path));
  }

  #lists() {
    const field = this.headers['if'];
    return typeof field === 'string' ? parseIf(field) : [];
  }

  async #stateOf(tag: string | undefined): Promise<ResourceState> {
    const path = tag === undefined ? this.path : this.#tagged(tag);
    if (!path) return { etag: undefined, tokens: new Set() };
    const found = await this.look(path).catch((error) => {
      if (codeOf(error) === '') throw error;
      return undefined;
    });
    const key = keyOf(path);
    const options = { now: this.now, below: false };
    const locks = await this.parts.locks.around(this.bucket.id, key, options);
    const tokens = locks.filter((lock) => covers(lock, key)).map(({ token }) => token);
    return { etag: found && etagOf(found), tokens: new Set(tokens) };
  }

  /** The path in a tag; undefined for a resource outside this bucket. */
  #tagged(tag: string): WirePath | undefined {
    try {
      const { bucket, segments } = this.parts.addresses.ofReference(tag);
      return bucket === this.bucket.name ? this.wirePath(segments) : undefined;
    } catch (error) {
      // The tag names no resource of this server, so its list does not hold.
      if (error instanceof Refusal || (error as { code?: unknown }).code === 108) return undefined;
      throw error;
    }
  }
}

/** The header `Depth`; undefined for an unknown value (static-http.md §B3). */
export function depthOf({ headers }: DavRequest): '0' | '1' | 'infinity' | undefined {
  const { depth } = headers;
  if (depth === '0' || depth === '1') return depth;
  return depth === 'infinity' || depth === 'Infinity' ? 'infinity' : undefined;
}
