import { setImmediate as nextTurn } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import type { OpenFile } from '@svc/plugin-static-bucket/api';

/** A multiple of 3, so that the base64 texts of parts are joined without padding. Others are served between two parts. */
const PART_BYTES = 3 * 256 * 1024;
const PART_CHARS = (PART_BYTES / 3) * 4;

interface Given {
  readonly body?: Uint8Array | (() => Promise<Uint8Array>) | null | undefined;
  readonly base64?: string | null;
}

/** Requires exactly one of the two. @throws RpcError 108 */
export function checkGiven({ body, base64 }: Given): void {
  const [hasBody, hasBase64] = [body != null, base64 != null];
  if (hasBody && hasBase64) throw RpcError.invalid('Cannot provide both body and base64');
  if (!hasBody && !hasBase64) throw RpcError.invalid('Must provide either body or base64');
}

/** Bytes of an upload. @throws RpcError 108 for base64 that is not in its canonical form, -32602 for a long list of other values */
export async function bytesOf({ body, base64 }: Given): Promise<Uint8Array> {
  if (base64 == null) return typeof body === 'function' ? body() : (body ?? new Uint8Array());
  const parts: Buffer[] = [];
  for (let from = 0; from < base64.length; from += PART_CHARS) {
    if (from > 0) await nextTurn();
    const text = base64.slice(from, from + PART_CHARS);
    const bytes = Buffer.from(text, 'base64');
    const isLast = from + text.length === base64.length;
    // Node decodes malformed base64 too. Only well-formed text is encoded to itself again, and only the last part may have padding.
    if (bytes.toString('base64') !== text || (!isLast && bytes.length < PART_BYTES))
      throw RpcError.invalid('Invalid base64: standard alphabet with padding expected');
    parts.push(bytes);
  }
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

const QUOTE = 0x22;

/** JSON bytes of a file's base64 text: quotes and four characters for each three bytes. */
export const base64JsonSize = (size: number): number => Math.ceil(size / 3) * 4 + 2;

/**
 * The base64 text of an open file as a JSON string. It is read in parts, so that other calls are not delayed.
 * @throws Error when the file shrinks meanwhile
 */
export async function base64Json(file: OpenFile): Promise<Uint8Array> {
  const { size } = file.stat;
  const json = Buffer.allocUnsafe(base64JsonSize(size));
  const part = Buffer.allocUnsafe(Math.min(PART_BYTES, size));
  json[0] = QUOTE;
  let at = 1;
  for (let from = 0; from < size; ) {
    const wanted = Math.min(part.length, size - from);
    if ((await file.fill(part.subarray(0, wanted), from)) < wanted)
      throw new Error('the file shrank while it was read');
    at += json.write(part.toString('base64', 0, wanted), at, 'latin1');
    from += wanted;
  }
  json[at] = QUOTE;
  return json;
}
