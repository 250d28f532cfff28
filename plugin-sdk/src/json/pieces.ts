import { randomBytes } from 'node:crypto';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  invalidJson,
  jsonAt,
  OPEN_LIST,
  OPEN_OBJECT,
  type Place,
  QUOTE,
  skipString,
} from './cursor.ts';
import { parseJson } from './exact.ts';
import { type FaultFinder, LONG_PIECE } from './fault-finder.ts';
import { setOwn } from './set-own.ts';
import { stringPieces } from './string-pieces.ts';

/** Bytes of one piece; it ends at the first comma behind them, so a long string is parsed in one go. */
const PIECE_BYTES = 64 * 1024;
/** Stands for the container that an earlier piece began. Random per process, so no sender's name is the same. */
const REST = `rest:${randomBytes(8).toString('hex')}`;
/** Stands for a string that is read by itself, from this many bytes on. */
const LONG = `long:${randomBytes(8).toString('hex')}`;
const LONG_BYTES = 512 * 1024;
const OBJECT_AGAIN = `{${JSON.stringify(REST)}:`;

type Members = Record<string, unknown>;

/** A container that is not closed yet. */
interface Open {
  readonly isObject: boolean;
  /** Place of the name in its parent; undefined in a list. */
  readonly name: Place | undefined;
}

/**
 * Parses one value in pieces that each take a millisecond or two, with an `undefined` between them; the same value, and the
 * same errors, as `parseJson` gives for the whole text. It nests at most 129 deep.
 *
 * A piece is cut at a comma. It is parsed with the brackets that are open at its beginning before it, and the closing ones of
 * those that are open at its end behind it, and what it holds is added to the containers that earlier pieces began.
 * @throws SyntaxError
 */
export function* parsePieces(
  bytes: Buffer,
  place: Place,
  faults?: FaultFinder,
): Generator<undefined, unknown> {
  const cutter = new Cutter(bytes, place);
  let spine: unknown[] = [];
  let root: unknown;
  for (const part of pieces(cutter, faults)) {
    if (part) {
      if (cutter.isFirst) root = part.value;
      else for (const [level, rest] of restsOf(part.value, spine.length)) addTo(spine[level], rest);
      if (cutter.isLast) return root;
      spine = spineOf(bytes, cutter, spine, root);
    }
    yield;
  }
  return root;
}

/** Checks as `parsePieces` does and keeps nothing: the text of the value is all that is wanted. @throws SyntaxError */
export function* checkPieces(
  bytes: Buffer,
  place: Place,
  faults?: FaultFinder,
): Generator<undefined, void> {
  const cutter = new Cutter(bytes, place);
  for (const part of pieces(cutter, faults)) if (!(part && cutter.isLast)) yield;
}

/** The pieces of a value, parsed; undefined between the steps of a long one. */
function* pieces(cutter: Cutter, faults: FaultFinder | undefined) {
  do {
    const opening = cutter.open.map(again).join('');
    const text = opening + cutter.next() + cutter.open.map(closing).reverse().join('');
    let value = parseJson(text);
    if (text.length > LONG_PIECE) yield;
    faults?.check(text, value);
    if (cutter.long)
      value = withString(value, yield* longString(cutter.bytes, cutter.long, faults));
    yield { value };
  } while (!cutter.isLast);
}

/** Parses a long string. */
function* longString(
  bytes: Buffer,
  place: Place,
  faults: FaultFinder | undefined,
): Generator<undefined, string> {
  let made = '';
  for (const piece of stringPieces(bytes, place)) {
    yield;
    const value = JSON.parse(piece) as string;
    faults?.check(piece, value);
    made += value;
  }
  return made;
}

/** Puts a string where `LONG` stands: it is the last value that begins in its piece. */
function withString(value: unknown, text: string): unknown {
  if (value === LONG) return text;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Members;
  const names = Array.isArray(value) ? [value.length - 1] : Object.keys(value);
  for (const name of names) {
    const member = members[name];
    if (member === LONG) setOwn(members, name, text);
    else if (typeof member === 'object') withString(member, text);
  }
  return value;
}

const again = ({ isObject }: Open, level: number, all: readonly Open[]): string => {
  if (!isObject) return '[';
  return level === all.length - 1 ? '{' : OBJECT_AGAIN;
};
const closing = ({ isObject }: Open): string => (isObject ? '}' : ']');

/** Yields for each container that was open at the beginning of the piece its level and what follows in it. */
function* restsOf(part: unknown, levels: number): Generator<[level: number, rest: object]> {
  let node = part;
  for (let level = 0; level < levels; level++) {
    const isLast = level === levels - 1;
    if (Array.isArray(node)) {
      const [inner] = node;
      yield [level, isLast ? node : node.slice(1)];
      node = inner;
    } else {
      const members = node as Members;
      const inner = members[REST];
      delete members[REST];
      yield [level, members];
      node = inner;
    }
  }
}

function addTo(container: unknown, rest: object): void {
  if (Array.isArray(container)) {
    for (const element of rest as unknown[]) container.push(element);
    return;
  }
  const members = container as Members;
  for (const [name, value] of Object.entries(rest)) setOwn(members, name, value);
}

/** The containers that are open now, outermost first. */
function spineOf(bytes: Buffer, { open, shallowest }: Cutter, before: unknown[], root: unknown) {
  const spine = before.slice(0, shallowest);
  for (const { name } of open.slice(spine.length)) {
    const parent = spine.at(-1);
    if (parent === undefined) spine.push(root);
    else if (!name) spine.push((parent as unknown[]).at(-1));
    else spine.push((parent as Members)[jsonAt(bytes, name) as string]);
  }
  return spine;
}

/** Finds the pieces of a value. */
class Cutter {
  readonly open: Open[] = [];
  /** Containers that were open all through the last piece. */
  shallowest = 0;
  /** Place of the string for which `LONG` stands in the last piece. */
  long: Place | undefined;
  at: number;
  readonly bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  /** Start of the last piece. */
  #from = -1;

  constructor(bytes: Buffer, { start, end }: Place) {
    this.bytes = bytes;
    this.at = start;
    this.#start = start;
    this.#end = end;
  }

  /** Tells whether the last piece is the first one. */
  get isFirst(): boolean {
    return this.#from === this.#start;
  }

  /** Tells whether no piece follows. */
  get isLast(): boolean {
    return this.at >= this.#end;
  }

  /** The text of the next piece; `at` is behind the comma that ends it. */
  next(): string {
    const from = this.at;
    this.#from = from;
    this.shallowest = this.open.length;
    this.long = undefined;
    const isWhole = this.#scanPiece(from + PIECE_BYTES);
    const text = this.#text(from);
    if (isWhole) return text;
    this.at++;
    // The brackets around a piece would hide a comma with nothing behind it.
    if (this.open.length === 0 || this.#isEmptyNext()) throw invalidJson();
    return text;
  }

  #text(from: number): string {
    const { bytes, long } = this;
    if (!long) return bytes.toString('utf8', from, this.at);
    const before = bytes.toString('utf8', from, long.start);
    return `${before}"${LONG}"${bytes.toString('utf8', long.end, this.at)}`;
  }

  /** The last string of these is long, and no name. A second one in the piece would be parsed with it. */
  #passedString(start: number, end: number): boolean {
    if (end - start < LONG_BYTES || this.long) return false;
    let at = end;
    while ((this.bytes[at] ?? 0) <= 32 && at < this.#end) at++;
    if (this.bytes[at] === COLON) return false;
    this.long = { start, end };
    return true;
  }

  /** @returns true at the end of the value; false at a comma */
  #scanPiece(from: number): boolean {
    const { bytes } = this;
    let most = from;
    // The last string: before the value of a member, its name.
    let start = 0;
    let end = 0;
    let { at } = this;
    while (at < this.#end) {
      const code = bytes[at];
      if (code === QUOTE) {
        start = at;
        at = skipString(bytes, at, this.#end);
        end = at;
        // The piece ends behind it.
        if (this.#passedString(start, end)) most = at;
        continue;
      }
      if (code === OPEN_LIST || code === OPEN_OBJECT) {
        const name = this.open.at(-1)?.isObject ? { start, end } : undefined;
        this.open.push({ isObject: code === OPEN_OBJECT, name });
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        this.open.pop();
        if (this.open.length < this.shallowest) this.shallowest = this.open.length;
      } else if (code === COMMA && at >= most) {
        this.at = at;
        return false;
      }
      at++;
    }
    this.at = at;
    return true;
  }

  /** A comma or the end of the container follows. */
  #isEmptyNext(): boolean {
    let { at } = this;
    while ((this.bytes[at] ?? 0) <= 32 && at < this.#end) at++;
    const code = this.bytes[at];
    return at >= this.#end || code === CLOSE_LIST || code === CLOSE_OBJECT;
  }
}
