import type { Stats } from 'node:fs';
import { service } from '@svc/plugin-sdk';
import type * as http from '@svc/plugin-sdk/http';
import type { OpenFile } from '@svc/plugin-sdk/http';

export type { OpenFile, Representation } from '@svc/plugin-sdk/http';

/** One configured bucket. Objects are replaced when they change, never changed. */
export interface Bucket {
  readonly id: number;
  readonly name: string;
  /** Directory under `static_path`, as given. */
  readonly path: string;
  readonly is_http_root: boolean;
  readonly cors: boolean;
  /** Switch of HTTP serving: only `false` ends it. RPC and WebDAV ignore it. */
  readonly enable: boolean | null;
  /** Key of the token that wrote the record last; null: the Super Token, or a row from before owners were kept. */
  readonly owner: string | null;
  /** Tells whether the owner could write every bucket; content of others does not share the origin of the server's pages. */
  readonly trusted: boolean;
}

declare const checked: unique symbol;
/** Segments of a path that passed the rules of static-bucket.md §2; none for the bucket's directory. Only `wirePath` makes one. */
export type WirePath = readonly string[] & { readonly [checked]: true };

/**
 * Spelling of a path: `rpc` as it is, relative to the bucket; `http` percent-encoded as a whole, leading `/`
 * dropped; `webdav` percent-encoded segment by segment, so a decoded `/` is refused. Dot segments: see `wirePath`.
 */
export type PathForm = 'rpc' | 'http' | 'webdav';

/** Options of `list`. */
export interface ListOptions {
  readonly directory?: WirePath;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** One file of `list`. */
export interface FileEntry {
  /** Relative to the bucket, `/` separated. */
  readonly path: string;
  readonly size: number;
  /** Unix ms, never negative. */
  readonly mtime: number;
}

/**
 * The files of one bucket. Symbolic links are followed inside the bucket; a path that leads out is refused with
 * `LeadsOut` (its `code` is `LEADS_OUT`). Everything else rejects with the file system's error and its `code`.
 */
export interface BucketFiles {
  /** Real absolute path; `follow` says whether a link at the end is followed. @throws ENOENT, LeadsOut */
  locate(path: WirePath, options: { readonly follow: boolean }): Promise<string>;
  /** Real absolute path for a new file or directory. Missing parents are created, a link at the end is followed. */
  prepare(path: WirePath): Promise<string>;
  /** Tells whether the path still names the same file, unchanged since `stat`. Follows links, opens nothing. */
  unchanged(path: WirePath, stat: Stats): Promise<boolean>;
  /** A regular file or directory for reading; the caller closes it. @throws ENOENT for anything else (pipe, device) */
  open(path: WirePath): Promise<OpenFile>;
  /** Replaces the file atomically: readers see the old or the new one. Missing parents are created. @throws BucketFull (`code` BUCKET_FULL) */
  write(path: WirePath, content: Content): Promise<Written>;
  /** Counts an empty file or a directory that is about to be made without `write`. @throws BucketFull */
  charge(): Promise<void>;
  /** Removes one file, or a symbolic link itself. @returns false when the path named nothing */
  remove(path: WirePath): Promise<boolean>;
  /** One rename; links at the ends are moved themselves. Parents of `to` are created. */
  rename(from: WirePath, to: WirePath): Promise<void>;
  /**
   * Every regular file below `directory`, by default the bucket's own, in byte order of `path`. Links below it are not
   * followed. A missing directory has none. @throws TooMuch past `maxBytes` of JSON, LeadsOut, `IS_FILE`
   */
  list(options: ListOptions): Promise<FileEntry[]>;
  /** Bytes that the bucket still takes, and those that it holds; without a limit of its own those of the file system. It is counted again where `wanted` bytes would not fit. */
  quota(
    wanted?: number,
  ): Promise<{ readonly available_bytes: number; readonly used_bytes: number }>;
}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** The outcome of a write. */
export interface Written {
  /** Tells whether the path named nothing before. */
  readonly created: boolean;
  /** Stat of the new file. */
  readonly stat: Stats;
}

/** Bucket configuration and the way to files, for every plugin that serves them (static-bucket.md). */
export interface StaticBuckets {
  /** Path of the folder that holds the directories of all buckets. */
  folder(): string;
  get(name: string): Bucket | undefined;
  /** Tells whether HTTP requests for its files are served; otherwise they are answered as if there were no such bucket. RPC and WebDAV do not ask. */
  isServed(bucket: Bucket): boolean | Promise<boolean>;
  /** The enabled bucket of the server's root, where `isServed` says so. */
  root(): Bucket | undefined;
  /** Ascending by name, byte order. */
  list(): readonly Bucket[];
  files(bucket: Bucket): BucketFiles;
  /** Rule of bucket names. @throws RpcError 108 */
  checkName(name: string): void;
  /** @throws RpcError 108 for a path that breaks the rules; URIError for bad percent-encoding */
  wirePath(text: string, form: PathForm): WirePath;
  /** Tells whether a name is that of an unfinished upload, which is never listed and never addressed. */
  isTemporary(name: string): boolean;
  /** Returns a number that grows with every change of records or files that this server made, or that another server announced. */
  version(): number;
  /** Counts a change of files that was made without `BucketFiles`. */
  touch(): void;
}
export const StaticBuckets = service<StaticBuckets>('static-buckets');

/** One change of files that is about to be made. */
export interface FileChange {
  readonly path: WirePath;
  /** Tells whether everything below changes too. */
  readonly below?: boolean;
  /** Tells whether the file or directory is made or removed, so that its parent changes. */
  readonly member?: boolean;
}

/** Locks on files that another way of access gives out (WebDAV); without its plugin there are none. */
export interface FileLocks {
  /** Tells whether a lock forbids one of the changes to a caller that holds none. @throws RpcError 103 */
  isLocked(bucket: Bucket, changes: readonly FileChange[]): Promise<boolean>;
}
export const FileLocks = service<FileLocks>('file-locks');

/** Sends files of buckets, within the limits of `[static-bucket]`. */
export type FileServer = http.FileServer;
export const FileServer = service<FileServer>('file-server');
