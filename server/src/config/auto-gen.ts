import { locate } from './locate.ts';

const LINE = /^(\s*server_uuid\s*=\s*["'])auto_gen/i;

/** Tells whether the top-level `server_uuid` asks for a generated UUID, in any letter case. */
export function asksForUuid(raw: Record<string, unknown>): boolean {
  const value = raw['server_uuid'];
  return typeof value === 'string' && value.toLowerCase() === 'auto_gen';
}

/**
 * Puts `uuid` in the place of `auto_gen` (configuration.md §2): the text is kept line by line, all else in its line stays, line ends
 * become LF. A quoted key is left as it is.
 */
export function fixAutoGen(text: string, uuid: string): string {
  // Only a long text or an inline table can hold such a line itself. What tells them apart is large, and each first start is here.
  const positions = /"{3}|'{3}|\{/.test(text) ? locate(text) : undefined;
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const fixed = lines.map((line, index) =>
    (positions?.isKeyLine(index + 1) ?? true)
      ? line.replace(LINE, (_, head: string) => `${head}${uuid}`)
      : line,
  );
  return `${fixed.join('\n')}\n`;
}
