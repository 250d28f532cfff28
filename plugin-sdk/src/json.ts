import { randomBytes } from 'node:crypto';
import { sameInEveryCopy } from './same-class.ts';

/**
 * JSON text made elsewhere (SQL, a cache) that goes into the response as it is.
 * Bytes must be UTF-8; they are not checked.
 */
export class RawJson {
  static {
    sameInEveryCopy(RawJson, 'RawJson');
  }
  readonly text: string | Uint8Array;

  constructor(text: string | Uint8Array) {
    this.text = text;
  }
}

/**
 * Serialises like `JSON.stringify`, and writes BigInt as a plain integer (64-bit values stay exact).
 * @throws TypeError for cycles, as `JSON.stringify`
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    return stringifyExact(value) ?? 'null';
  }
}

/** As `stringifyJson`; a `RawJson` inside the value is written as its text. */
export function stringifyExact(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof RawJson) return String(value.text);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => stringifyExact(item) ?? 'null').join(',')}]`;
  const json = (value as { toJSON?: unknown }).toJSON;
  if (typeof json === 'function') return stringifyExact(json.call(value));
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = stringifyExact(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Parses like `JSON.parse`, and keeps every integer token of 16 or more digits as BigInt when a double would change it.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return hasLongInteger(text) ? parseExact(text) : JSON.parse(text);
}

/**
 * As `parseJson`. A token with fraction or exponent whose value is an integer (`1.0`, `1e3`), or that is too large for a
 * double, would be spelled otherwise by `JSON.stringify`: its place is taken by what `float` makes of the token.
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
  /[.eE]/.test(token) && !token.startsWith('"') && !hasFraction(Number(token));
const hasFraction = (value: number): boolean => Number.isFinite(value) && !Number.isInteger(value);

/** True when 16 digits stand side by side anywhere in the text (strings included: a hint, not a proof). */
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

/** Where a string begins, and every number; `1e300` and `0.1234567890123456` are no integers. */
const tokens = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const longInteger = /^-?\d{16,}$/;
/** Random per process, so no sender's string begins with it. */
const mark = `number:${randomBytes(8).toString('hex')}:`;
const marks = new RegExp(`"${mark}([^"]*)"`, 'g');

const parseExact = (text: string): unknown => parseMarked(text, () => false, BigInt);

/** Long integers become BigInt; other tokens that `keeps` are what `keep` makes of them. */
function parseMarked(
  text: string,
  keeps: (token: string) => boolean,
  keep: (token: string) => unknown,
): unknown {
  return unmarked(parseMarks(text, keeps), (token) =>
    isLong(token) ? BigInt(token) : keep(token),
  );
}

/** Marked strings stand for the numbers that are kept. */
function parseMarks(text: string, keeps: (token: string) => boolean): unknown {
  const marked = replaceNumbers(text, (token) =>
    isLong(token) || keeps(token) ? `"${mark}${token}"` : token,
  );
  // Marking turns a number into a string: only a text that was valid before may be read marked.
  JSON.parse(text);
  return JSON.parse(marked);
}

/**
 * Replaces marked strings in place. A reviver of `JSON.parse` with its source text would be shorter; it is called for every
 * value and takes a third longer on texts of some kilobytes.
 */
function unmarked(value: unknown, keep: (token: string) => unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(mark) ? keep(value.slice(mark.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = members[name];
    if (typeof member !== 'string' && typeof member !== 'object') continue;
    const kept = unmarked(member, keep);
    if (kept === member) continue;
    // Assigning to this name would change the prototype.
    if (name === '__proto__') Object.defineProperty(value, name, { ...own, value: kept });
    else members[name] = kept;
  }
  return value;
}

const own = { writable: true, enumerable: true, configurable: true };

function replaceNumbers(text: string, replace: (token: string) => string): string {
  let made = '';
  let done = 0;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = behindString(text, found.index);
      continue;
    }
    const instead = replace(token);
    if (instead === token) continue;
    made += text.slice(done, found.index) + instead;
    done = tokens.lastIndex;
  }
  return made + text.slice(done);
}

/** Position behind the string that begins at `start`. Strings are not part of the pattern: one of some megabytes would overflow the stack of the matcher. */
export function behindString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

const isLong = (token: string): boolean =>
  longInteger.test(token) && !Number.isSafeInteger(Number(token));
