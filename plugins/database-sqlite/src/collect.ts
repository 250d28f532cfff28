/**
 * The texts as one JSON array; undefined as soon as it is longer than `maxBytes`, without reading on. A blob is the
 * whole array in UTF-8, in memory of its own. `stop` is asked before each row.
 */
export function collect(
  texts: Iterable<unknown>,
  maxBytes: number,
  stop?: () => boolean,
): string | Uint8Array<ArrayBuffer> | undefined {
  const parts: string[] = [];
  let length = 1;
  for (const value of texts) {
    if (value instanceof Uint8Array) {
      return value.length > maxBytes ? undefined : (value as Uint8Array<ArrayBuffer>);
    }
    const text = typeof value === 'string' ? value : String(value);
    length += text.length + 1;
    // A character is at least one byte, so this never stops too early; the exact size is taken at the end.
    if (length > maxBytes || stop?.()) return undefined;
    parts.push(text);
  }
  const joined = `[${parts.join(',')}]`;
  return Buffer.byteLength(joined) > maxBytes ? undefined : joined;
}
