import { BACKSLASH, type Place } from './cursor.ts';

/** Bytes of one piece of a string. */
const PIECE = 256 * 1024;
const SMALL_U = 117;
const HIGH = /^\\u[dD][89abAB]/;
const stepOver = (bytes: Buffer, at: number): number =>
  bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === SMALL_U ? 6 : 2;
const isInsideCharacter = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/** Yields the JSON string at `place` as shorter ones, which say the same one after the other; no character is cut in two. */
export function* stringPieces(bytes: Buffer, { start, end }: Place): Generator<string, void> {
  for (let from = start + 1; from < end - 1; ) {
    const least = Math.min(from + PIECE, end - 1);
    let last = from;
    let to = from;
    for (; to < least; to += stepOver(bytes, to)) last = to;
    // The second half of a pair follows the escape of the first.
    if (to < end - 1 && HIGH.test(bytes.toString('latin1', last, to))) to += stepOver(bytes, to);
    while (isInsideCharacter(bytes[to])) to++;
    yield `"${bytes.toString('utf8', from, to)}"`;
    from = to;
  }
}
