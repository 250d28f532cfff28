const HYPHENATED = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
const SIMPLE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The UUID in lower case with hyphens, from any spelling (braces, `urn:uuid:`, no hyphens); undefined for other text. */
export function parseUuid(spelling: string): string | undefined {
  const text = spelling.toLowerCase();
  const bare = /^(?:urn:uuid:([0-9a-f-]{36})|\{([0-9a-f-]{36})\})$/.exec(text);
  const parts = HYPHENATED.exec(bare?.[1] ?? bare?.[2] ?? text) ?? SIMPLE.exec(text);
  return parts?.slice(1).join('-');
}
