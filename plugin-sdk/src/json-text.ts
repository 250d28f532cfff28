/** Serialised JSON; bytes when it was made as bytes. */
export type Text = string | Uint8Array;

export const byteLength = (text: Text): number =>
  typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;

export const asString = (text: Text): string =>
  typeof text === 'string'
    ? text
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString();

/** One string, or one buffer as soon as a part is bytes: large results are never decoded only to be encoded again. */
export function joinTexts(parts: readonly Text[]): Text {
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
