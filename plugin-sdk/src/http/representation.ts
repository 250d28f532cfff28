import type { OpenFile } from './open-file.ts';

/** The content that is sent: one file, or one encoding of it. */
export interface Representation {
  readonly size: number;
  /** Unix ms, never negative. */
  readonly mtime_ms: number;
  /** Tag with its quotes. */
  readonly etag: string;
  /** Names and values sent with every answer about it, 304 and 416 included. */
  readonly common: readonly string[];
  /** Names and values that describe the content: sent with 200 and 206. */
  readonly entity: readonly string[];
  /** The content itself, or the file to read it from. */
  readonly body: Uint8Array | OpenFile;
  /** Tells whether several ranges of an open file are sent as `multipart/byteranges`; otherwise the whole file is sent. */
  readonly multipart?: boolean;
  /** Tells that a weak tag never matches, not even in `If-None-Match`. */
  readonly strongOnly?: boolean;
}
