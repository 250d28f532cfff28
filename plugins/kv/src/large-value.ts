import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  Cursor,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipString,
  stringPieces,
} from '@svc/plugin-sdk/json';
import { SerialQueue } from '@svc/plugin-sdk/util';
import { refuseHalf, valueText, zeroAt } from './value.ts';

/** A value of more characters is spelled in pieces of about this many. */
export const LARGE = 32 * 1024;
/** Characters that are looked at in one turn of the event loop, and members that are written. */
const SCANNED = 512 * 1024;
const WRITTEN = 2_000;
/** Characters that are measured in one turn. */
export const MEASURED = 1024 * 1024;
/** Parts of a map of names: a power of two. */
const PARTS = 64;

const pauses = new SerialQueue();

/**
 * Spells as `valueText` does, in turns of the event loop that each take a few milliseconds and that all values share.
 * @param sent JSON without a number that no double holds
 * @throws RpcError -32602 for half of a surrogate pair
 */
export const largeValueText = (sent: string): Promise<string> => inTurns(spellLarge(sent));

/** The length of a value's stored text in UTF-8, and whether it holds U+0000; in turns as `largeValueText`. */
export const measureLarge = (text: string): Promise<Measured> => inTurns(measure(text));

interface Measured {
  readonly bytes: number;
  readonly holdsZero: boolean;
}

async function inTurns<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pauses.run(() => nextTurn());
  }
}

function* measure(text: string): Generator<undefined, Measured> {
  let bytes = 0;
  let holdsZero = false;
  for (let from = 0, to = 0; from < text.length; from = to) {
    // The first look puts a text that was made of pieces together, so it has a turn of its own.
    yield;
    to = from + MEASURED;
    // No pair is cut in two.
    if (isLow(text.charCodeAt(to))) to++;
    bytes += Buffer.byteLength(text.slice(from, to));
    holdsZero ||= zeroAt(text, from, to);
  }
  return { bytes, holdsZero };
}

function* spellLarge(sent: string): Generator<undefined, string> {
  const cursor = new Cursor(sent);
  yield;
  const long = yield* longParts(cursor.bytes);
  yield;
  cursor.space();
  return long.has(cursor.at) ? yield* spellLong(cursor, long) : spell(sent);
}

/** Returns where the containers begin that are taken apart, and strings that are spelled by themselves. */
function* longParts(bytes: Buffer): Generator<undefined, Set<number>> {
  const long = new Set<number>();
  const open: number[] = [];
  for (let at = 0, due = SCANNED; at < bytes.length; at++) {
    const code = bytes[at];
    let start = at;
    if (code === QUOTE) at = skipString(bytes, at, bytes.length) - 1;
    else if (isOpening(code)) open.push(at);
    else if (isClosing(code)) start = open.pop() ?? at;
    if (at - start > LARGE) long.add(start);
    if (at < due) continue;
    yield;
    due = at + SCANNED;
  }
  return long;
}

/** Spells the string or container at the cursor: what is short in it by the run, long parts by themselves. */
function* spellLong(cursor: Cursor, long: ReadonlySet<number>): Generator<undefined, string> {
  const start = cursor.at;
  const { bytes } = cursor;
  if (bytes[start] === QUOTE) {
    cursor.pass();
    let made = '';
    for (const piece of stringPieces(bytes, { start, end: cursor.at })) {
      yield;
      made += spell(piece).slice(1, -1);
    }
    return `"${made}"`;
  }
  const isObject = bytes[start] === OPEN_OBJECT;
  const into = isObject ? new Members() : new Elements();
  let from = -1;
  let to = start + 1;
  const endRun = () => {
    if (from >= 0) into.addRun(cursor.text({ start: from, end: to }));
    from = -1;
  };
  cursor.at++;
  for (;;) {
    const code = cursor.space();
    // A comma in a run has been passed with the value behind it.
    if (code === COMMA || isClosing(code)) cursor.at++;
    if (isClosing(code)) {
      endRun();
      return yield* into.whole();
    }
    cursor.space();
    const { at } = cursor;
    const name = isObject ? cursor.name() : '';
    if (long.has(cursor.at)) {
      endRun();
      into.add(name, yield* spellLong(cursor, long));
      continue;
    }
    if (from < 0) from = at;
    cursor.pass();
    to = cursor.at;
    if (to - from < LARGE) continue;
    endRun();
    yield;
  }
}

/** Spells the items of a long list. */
class Elements {
  #made = '';

  addRun(run: string): void {
    this.add('', spell(`[${run}]`).slice(1, -1));
  }

  add(_name: string, value: string): void {
    this.#made += this.#made === '' ? value : `,${value}`;
  }

  *whole(): Generator<undefined, string> {
    yield;
    return `[${this.#made}]`;
  }
}

/** Spells the members of a long object in the order of JavaScript: indices first, of equal names the last value in the first place. */
class Members {
  readonly #indexed = new Map<string, string>();
  readonly #named = new Named();

  addRun(run: string): void {
    const cursor = new Cursor(spell(`{${run}}`));
    for (const span of cursor.list()) this.add(span.name, cursor.text(span));
  }

  add(name: string, value: string): void {
    const index = Number(name) >>> 0;
    const isIndex = String(index) === name && index < 2 ** 32 - 1;
    (isIndex ? this.#indexed : this.#named).set(name, value);
  }

  *whole(): Generator<undefined, string> {
    let made = '';
    let some: string[] = [];
    for (const [name, value] of this.#inOrder()) {
      some.push(`${JSON.stringify(name)}:${value}`);
      if (some.length < WRITTEN) continue;
      made += `${some.join(',')},`;
      some = [];
      yield;
    }
    return `{${some.length > 0 ? made + some.join(',') : made.slice(0, -1)}}`;
  }

  *#inOrder(): Generator<readonly [name: string, value: string]> {
    for (const index of Uint32Array.from(this.#indexed.keys(), Number).sort())
      yield [String(index), this.#indexed.get(String(index)) ?? ''];
    yield* this.#named.all();
  }
}

/** A map in parts: one of many names would hold the event loop whenever it grows. */
class Named {
  readonly #names: string[] = [];
  readonly #parts: (Map<string, string> | undefined)[] = Array(PARTS);

  set(name: string, value: string): void {
    const at = partOf(name);
    const part = this.#parts[at] ?? new Map<string, string>();
    this.#parts[at] = part;
    if (!part.has(name)) this.#names.push(name);
    part.set(name, value);
  }

  *all(): Generator<readonly [name: string, value: string]> {
    for (const name of this.#names) yield [name, this.#parts[partOf(name)]?.get(name) ?? ''];
  }
}

function partOf(name: string): number {
  let sum = name.length;
  for (let at = Math.max(0, name.length - 8); at < name.length; at++)
    sum = (sum * 31 + name.charCodeAt(at)) | 0;
  return sum & (PARTS - 1);
}

/** @throws RpcError -32602 */
function spell(sent: string): string {
  // A string without an escape is written as it is.
  if (sent.startsWith('"') && !sent.includes('\\')) return sent;
  const made = valueText(sent);
  refuseHalf(made);
  return made;
}

const isOpening = (code: number | undefined): boolean => code === OPEN_LIST || code === OPEN_OBJECT;
const isClosing = (code: number | undefined): boolean =>
  code === CLOSE_LIST || code === CLOSE_OBJECT;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
