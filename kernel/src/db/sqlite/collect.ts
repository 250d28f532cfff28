/**
 * The texts as one JSON array; undefined as soon as it is longer than `maxBytes`, without reading on.
 * `stop` is asked before each row.
 */
export function collect(
  texts: Iterable<unknown>,
  maxBytes: number,
  stop?: () => boolean,
): string | undefined {
  const parts: string[] = [];
  let length = 1;
  for (const value of texts) {
    const text = typeof value === 'string' ? value : String(value);
    length += text.length + 1;
    // A character is at least one byte, so this never stops too early; the exact size is taken at the end.
    if (length > maxBytes || stop?.()) return undefined;
    parts.push(text);
  }
  const joined = `[${parts.join(',')}]`;
  return Buffer.byteLength(joined) > maxBytes ? undefined : joined;
}
