import { randomBytes } from 'node:crypto';
import { Cursor } from './cursor.ts';
import { setOwn } from './set-own.ts';

/**
 * Parses like `JSON.parse`, and keeps every integer token of 16 or more digits as BigInt when a double would change it.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return hasLongInteger(text)
    ? unmarked(
        parseMarks(text, () => false),
        BigInt,
      )
    : JSON.parse(text);
}

/**
 * Parses as `parseJson` does. A token with fraction or exponent whose value is an integer (`1.0`, `1e3`), or that is too
 * large for a double, would be spelled otherwise by `JSON.stringify`: its place is taken by what `float` makes of the
 * token.
 * @throws SyntaxError, and what `float` throws
 */
export function parseSpelledJson(text: string, float: (token: string) => unknown): unknown {
  return parseMarked(text, isSpelledFloat, float);
}

/**
 * The compact form of a JSON text, as `JSON.stringify` would write its value; of equal member names the last one stays.
 * `spell` writes the numbers that `parseSpelledJson` keeps, long integers included.
 * @throws SyntaxError, and what `spell` throws
 */
export function respellJson(text: string, spell: (token: string) => string): string {
  return JSON.stringify(parseMarks(text, isSpelledFloat)).replace(marks, (_mark, token) =>
    spell(token),
  );
}

const isSpelledFloat = (token: string): boolean =>
  /[.eE]/.test(token) && !hasFraction(Number(token));
const hasFraction = (value: number): boolean => Number.isFinite(value) && !Number.isInteger(value);

/** Tells whether 16 digits stand side by side anywhere in the text (strings included: a hint, not a proof). */
export function hasLongInteger(text: string): boolean {
  // A run of 16 digits covers one of every 16 positions, so looking at those is enough to find it.
  const last = text.length;
  for (let at = 15; at < last; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--;
    while (to < last && isDigit(text.charCodeAt(to))) to++;
    if (to - from >= 16) return true;
  }
  return false;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const longInteger = /^-?\d{16,}$/;
/** Random per process, so no sender's string begins with it. */
const mark = `number:${randomBytes(8).toString('hex')}:`;
const marks = new RegExp(`"${mark}([^"]*)"`, 'g');

/** Parses; long integers become BigInt, other tokens that `keeps` are what `other` makes of them. */
function parseMarked(
  text: string,
  keeps: (token: string) => boolean,
  other: (token: string) => unknown,
): unknown {
  return unmarked(parseMarks(text, keeps), (token) =>
    isLong(token) ? BigInt(token) : other(token),
  );
}

/** Marked strings stand for the numbers that are kept. */
function parseMarks(text: string, keeps: (token: string) => boolean): unknown {
  // Marking turns a number into a string: only a text that was valid before may be read marked.
  JSON.parse(text);
  const marked = replaceNumbers(text, (token) =>
    isLong(token) || keeps(token) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked);
}

/**
 * Replaces marked strings in place. A reviver of `JSON.parse` with its source text would be shorter; it is called for every
 * value and takes a third longer on texts of some kilobytes.
 */
function unmarked(value: unknown, other: (token: string) => unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(mark) ? other(value.slice(mark.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = members[name];
    if (typeof member !== 'string' && typeof member !== 'object') continue;
    const kept = unmarked(member, other);
    if (kept === member) continue;
    setOwn(members, name, kept);
  }
  return value;
}

/** Replaces the numbers of a text that has passed `JSON.parse`. */
function replaceNumbers(text: string, replace: (token: string) => string): string {
  const cursor = new Cursor(text);
  // Numbers are ASCII, and cutting them out of this costs less than decoding each.
  const ascii = cursor.bytes.toString('latin1');
  let made = '';
  let done = 0;
  for (let place = cursor.number(); place; place = cursor.number()) {
    const token = ascii.slice(place.start, place.end);
    const instead = replace(token);
    if (instead === token) continue;
    made += cursor.text({ start: done, end: place.start }) + instead;
    done = place.end;
  }
  return made + cursor.text({ start: done, end: cursor.end });
}

const isLong = (token: string): boolean =>
  longInteger.test(token) && !Number.isSafeInteger(Number(token));
