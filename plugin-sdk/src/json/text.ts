/** Serialised JSON; bytes when it was made as bytes. */
export type Text = string | Uint8Array;

/** A text, or the pieces of one: long bytes between short texts need not be copied. */
export type Texts = Text | readonly Text[];

export const piecesOf = (texts: Texts): readonly Text[] =>
  typeof texts === 'string' || texts instanceof Uint8Array ? [texts] : texts;

export function byteLength(texts: Texts): number {
  if (typeof texts === 'string') return Buffer.byteLength(texts);
  if (texts instanceof Uint8Array) return texts.byteLength;
  return texts.reduce((sum, text) => sum + byteLength(text), 0);
}

export const bytesOf = (text: Text): Buffer =>
  typeof text === 'string'
    ? Buffer.from(text)
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength);

export const asString = (texts: Texts): string =>
  typeof texts === 'string'
    ? texts
    : piecesOf(texts)
        .map((text) => (typeof text === 'string' ? text : bytesOf(text).toString()))
        .join('');

/** One string, or the pieces as soon as one is bytes: large results are never decoded only to be encoded again. */
export function joinTexts(parts: readonly Texts[]): Texts {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts.flatMap(piecesOf);
}
