type Members = Record<string, unknown>;

const refuse = (problem: string): never => {
  throw new Error(`malformed task: ${problem}`);
};

/** Reads one member of a task's content, strictly (task.md §2.1). @throws Error for anything but a string */
export const readText = (content: unknown, what: string): string =>
  typeof content === 'string' ? content : refuse(`${what} must be a string`);

/** A string, or null for an absent or null member. */
export const readOptionalText = (content: unknown, what: string): string | null =>
  content === undefined || content === null ? null : readText(content, what);

export const readTexts = (content: unknown, what: string): string[] =>
  Array.isArray(content)
    ? content.map((entry: unknown) => readText(entry, `each of ${what}`))
    : refuse(`${what} must be a list of strings`);

export const readObject = (content: unknown, what: string): Members =>
  typeof content === 'object' && content !== null && !Array.isArray(content)
    ? (content as Members)
    : refuse(`${what} must be an object`);

/** An absolute URL of one of these schemes. */
export function readUrl(content: unknown, what: string, schemes: readonly string[]): URL {
  const text = readText(content, what);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && schemes.includes(url.protocol.slice(0, -1))) return url;
  return refuse(`${what} must be an absolute ${schemes.join(' or ')} address`);
}

/** Checks the content of a kind that has none, which is a bare string. @throws Error for any content */
export function expectNothing(content: unknown, kind: string): void {
  if (content !== null) refuse(`${kind} takes no content`);
}
