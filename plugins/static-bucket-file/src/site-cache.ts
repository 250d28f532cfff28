import type { Bucket, StaticBuckets } from '@svc/plugin-static-bucket/api';
import { closeSite, type Found, type Site, type SiteFiles, type Wanted } from './site-files.ts';

/** Time for which a cached file is served without asking the disk. */
const FRESH_MS = 100;
/** Time after which the file is read again, and new pre-compressed files next to it are found. */
const KEPT_MS = 5_000;
/** Rough memory of an entry without its bodies. */
const ENTRY_BYTES = 2_048;

interface Entry {
  readonly site: Site;
  readonly bucket: Bucket;
  readonly bytes: number;
  /** `StaticBuckets.version` when it was read. */
  readonly version: number;
  readonly read: number;
  checked: number;
}

/**
 * Small files in memory; the least recently checked one is dropped first. For `FRESH_MS` a file is served without asking
 * the disk. After that one `stat` tells whether it is unchanged. Writes of this server are noticed at once.
 */
export class SiteCache {
  readonly #buckets: StaticBuckets;
  readonly #files: SiteFiles;
  readonly #maxBytes: () => number;
  readonly #entries = new Map<string, Entry>();
  /** Checks of the disk in progress, by key. */
  readonly #looks = new Map<string, Promise<unknown>>();
  #bytes = 0;

  constructor(buckets: StaticBuckets, files: SiteFiles, maxBytes: () => number) {
    this.#buckets = buckets;
    this.#files = files;
    this.#maxBytes = maxBytes;
  }

  /** Bytes held, for tests. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Cached file that was checked less than `FRESH_MS` ago. */
  fresh(bucket: Bucket, raw: string): Site | undefined {
    const entry = this.#entries.get(keyOf(bucket, raw));
    if (!entry || !this.#isCurrent(entry, bucket)) return undefined;
    return now() - entry.checked < FRESH_MS ? entry.site : undefined;
  }

  /** Works like `SiteFiles.find`, from memory when the file is unchanged. Files are closed after `use`. */
  async find(wanted: Wanted, use: (found: Found) => void | Promise<void>): Promise<void> {
    const key = keyOf(wanted.bucket, wanted.raw);
    const look = this.#looks.get(key);
    const found = await (look ? this.#after(look, key, wanted) : this.#first(key, wanted));
    try {
      await use(found);
    } finally {
      if (found.kind === 'file') await closeSite(found.site);
    }
  }

  /** Waits for a check in progress, then uses the cached file. When none is cached, the request opens the file itself. */
  async #after(look: Promise<unknown>, key: string, wanted: Wanted): Promise<Found> {
    await look;
    const entry = this.#entries.get(key);
    if (entry && this.#isCurrent(entry, wanted.bucket)) return { kind: 'file', site: entry.site };
    return this.#load(key, wanted);
  }

  #first(key: string, wanted: Wanted): Promise<Found> {
    const look = this.#look(key, wanted);
    const settled = () => void this.#looks.delete(key);
    this.#looks.set(key, look.then(settled, settled));
    return look;
  }

  async #look(key: string, wanted: Wanted): Promise<Found> {
    const entry = this.#entries.get(key);
    if (entry && this.#isCurrent(entry, wanted.bucket) && (await this.#isSame(entry))) {
      entry.checked = now();
      if (this.#entries.get(key) === entry) {
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      }
      return { kind: 'file', site: entry.site };
    }
    this.#drop(key, entry);
    return this.#load(key, wanted);
  }

  async #load(key: string, wanted: Wanted): Promise<Found> {
    // Read before the disk is read, so that a write in between makes the entry outdated.
    const version = this.#buckets.version();
    const found = await this.#files.find(wanted);
    if (found.kind === 'file') this.#keep(key, found.site, wanted.bucket, version);
    return found;
  }

  #isCurrent(entry: Entry, bucket: Bucket): boolean {
    return entry.bucket === bucket && entry.version === this.#buckets.version();
  }

  async #isSame({ read, site, bucket }: Entry): Promise<boolean> {
    if (now() - read > KEPT_MS) return false;
    return this.#buckets.files(bucket).unchanged(site.path, site.file.stat);
  }

  #keep(key: string, site: Site, bucket: Bucket, version: number): void {
    const bodies = [site.main, ...site.encoded.values()].map(({ body }) => body);
    if (!bodies.every((body) => body instanceof Uint8Array)) return;
    const bytes = bodies.reduce((sum, body) => sum + body.length, ENTRY_BYTES + 2 * key.length);
    if (bytes > this.#maxBytes()) return;
    this.#drop(key, this.#entries.get(key));
    const at = now();
    this.#entries.set(key, {
      site,
      bucket,
      bytes,
      version,
      read: at,
      checked: at,
    });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes()) break;
      this.#drop(oldest, entry);
    }
  }

  #drop(key: string, entry: Entry | undefined): void {
    if (!entry || this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

const keyOf = ({ name }: Bucket, raw: string): string => `${name}/${raw}`;
/** Ages are measured with monotonic time, which is never set back. */
const now = (): number => performance.now();
