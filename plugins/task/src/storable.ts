/** An escape in the output of `JSON.stringify`. */
const escapes = /\\(?:u([0-9a-f]{4})|.)/g;
/** U+0000 and single halves of surrogate pairs: `JSON.stringify` escapes them, and jsonb cannot hold them. */
const unstorable = /^(?:0000|d[89a-f])/;

const suspect = (text: string): boolean => text.includes('\\u0000') || text.includes('\\ud');

/** Tells whether both databases can hold this JSON text, which `JSON.stringify` made. */
export function isStorable(text: string): boolean {
  return !suspect(text) || storable(text) === text;
}

/** The JSON text with U+FFFD for every character that a database cannot hold: output of programs may contain any. */
export function storable(text: string): string {
  if (!suspect(text)) return text;
  return text.replace(escapes, (whole, code?: string) =>
    code !== undefined && unstorable.test(code) ? '\\ufffd' : whole,
  );
}

/** Returns the text, not JSON, with U+FFFD for every character that a database cannot hold. */
export const storableText = (text: string): string =>
  JSON.parse(storable(JSON.stringify(text))) as string;
