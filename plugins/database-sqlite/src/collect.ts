/** Room for the first texts of an array; it doubles. */
const FIRST_BYTES = 64 * 1024;
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_A_UNIT = 3;

/**
 * The texts as one JSON array; undefined as soon as it is longer than `maxBytes`, without reading on. A blob is the
 * whole array in UTF-8, and may have a comma in place of each bracket.
 */
export function collect(
  texts: Iterable<unknown>,
  maxBytes: number,
): string | Uint8Array | undefined {
  const parts: string[] = [];
  let length = 1;
  for (const value of texts) {
    if (value instanceof Uint8Array)
      return value.length > maxBytes ? undefined : bracketed(value as Uint8Array<ArrayBuffer>);
    const text = String(value);
    length += text.length + 1;
    // A character is at least one byte, so this never stops too early; the exact size is taken at the end.
    if (length > maxBytes) return undefined;
    parts.push(text);
  }
  const joined = `[${parts.join(',')}]`;
  return Buffer.byteLength(joined) > maxBytes ? undefined : joined;
}

/**
 * Collects as `collect` does, always in UTF-8 and in memory of its own, which another thread can take: for long arrays this takes half the time of
 * joining the texts and encoding them. `stop` is asked before each row.
 */
export function collectBytes(
  texts: Iterable<unknown>,
  maxBytes: number,
  stop?: () => boolean,
): Uint8Array<ArrayBuffer> | undefined {
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let at = bytes.write('[');
  for (const value of texts) {
    if (value instanceof Uint8Array)
      return value.length > maxBytes ? undefined : bracketed(value as Uint8Array<ArrayBuffer>);
    const text = String(value);
    if (at + text.length + 1 > maxBytes || stop?.()) return undefined;
    const needed = at + BYTES_A_UNIT * text.length + 2;
    if (needed > bytes.length) bytes = grown(bytes.subarray(0, at), needed);
    at += bytes.write(text, at);
    at += bytes.write(',', at);
  }
  // The bracket takes the place of the last comma.
  at = Math.max(at, 2);
  bytes.write(']', at - 1);
  return at > maxBytes ? undefined : bytes.subarray(0, at);
}

const COMMA = 44;

/** The driver's bytes are a copy of their own, so that the brackets are put in there. */
function bracketed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes[0] !== COMMA) return bytes;
  const array = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Between two empty texts alone stands one comma.
  if (array.length === 1) return Uint8Array.of(91, 93);
  array.write('[');
  array.write(']', array.length - 1);
  return array;
}

function grown(bytes: Buffer, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length));
  bytes.copy(larger);
  return larger;
}
