import type { OpenFile } from './open-file.ts';

/** The content that is sent: one file, or one encoding of it. */
export interface Representation {
  readonly size: number;
  /** Unix ms, never negative. */
  readonly mtime_ms: number;
  /** With quotes. */
  readonly etag: string;
  /** Names and values sent with every answer about it, 304 and 416 included. */
  readonly common: readonly string[];
  /** Names and values that describe the content: sent with 200 and 206. */
  readonly entity: readonly string[];
  /** The content itself, or the file to read it from. */
  readonly body: Uint8Array | OpenFile;
  /** True: several ranges of an open file are sent as `multipart/byteranges`. False: the whole file is sent. */
  readonly multipart?: boolean;
  /** True: a weak tag never matches, not even in `If-None-Match`. */
  readonly strongOnly?: boolean;
}
