import { randomBytes } from 'node:crypto';
import type { Slice } from './range.ts';
import type { Representation } from './representation.ts';

const TYPE = 'content-type';

/** A body of several ranges (RFC 9110 §14.6). */
export interface Multipart {
  /** Names and values, without a length: the body is chunked. */
  readonly headers: readonly string[];
  /** The text before the bytes of a part. */
  head(slice: Slice): string;
  readonly end: string;
}

export function multipartOf({ common, entity, size }: Representation): Multipart {
  // A random boundary: the bytes of a file could hold a fixed one.
  const boundary = `BOUNDARY${randomBytes(12).toString('hex')}`;
  const at = entity.findIndex((name, index) => index % 2 === 0 && name === TYPE);
  const type = at < 0 ? '' : `${TYPE}: ${entity[at + 1]}\r\n`;
  const others = at < 0 ? entity : entity.toSpliced(at, 2);
  return {
    headers: [...common, TYPE, `multipart/byteranges; boundary=${boundary}`, ...others],
    head: ({ from, to }) =>
      `\r\n--${boundary}\r\n${type}content-range: bytes ${from}-${to - 1}/${size}\r\n\r\n`,
    end: `\r\n--${boundary}--\r\n`,
  };
}
