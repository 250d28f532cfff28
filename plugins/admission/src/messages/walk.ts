export const QUOTE = 34;
export const COMMA = 44;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;
export const COLON = 58;
const BACKSLASH = 92;
/** `[` and `{` differ in this bit alone, and so do `]` and `}`. */
const OBJECT_BIT = 32;

/** Not 0 for the bytes that mean something inside of a list or object: most do not, and one look tells. */
const MEANS = new Uint8Array(256);
for (const code of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  MEANS[code] = 1;

/** Bytes of one slice: about a millisecond. */
const SLICE_BYTES = 256 * 1024;
/** Bytes of a string that are looked at one by one; then the next quote is searched for. */
const NEAR_BYTES = 64;

/** One member of an object or element of a list: where its value stands. */
export interface Span {
  /** Empty for an element. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** How many there are in it, itself included. */
  readonly values: number;
}

/** Where something stands. */
export type Place = Pick<Span, 'start' | 'end'>;

/**
 * A walk through JSON in bytes, in slices and without making anything. It checks what lies around the values that it is asked for;
 * what they hold is left to the parser. All errors are `SyntaxError`.
 */
export class Walk {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  /** Values that have been passed, the names of members left out. */
  values = 0;
  /** Levels of the deepest value that has been passed; a scalar has none. */
  deepest = 0;
  #due: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.#due = at + SLICE_BYTES;
  }

  /** Passes white space. @returns the byte behind it; -1 at the end */
  space(): number {
    for (; this.at < this.end; this.at++) {
      const code = this.bytes[this.at] as number;
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
    }
    return -1;
  }

  /** The members or elements of the object or list that begins here; undefined where a slice ends. */
  *items(): Generator<Span | undefined, void> {
    const isObject = this.bytes[this.at] === OPEN_OBJECT;
    const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
    this.at++;
    if (this.space() === close) {
      this.at++;
      return;
    }
    for (;;) {
      const name = isObject ? this.#name() : '';
      const start = this.at;
      const before = this.values;
      yield* this.#value();
      if (this.at === start) throw broken();
      yield { name, start, end: this.at, values: this.values - before };
      const code = this.space();
      this.at++;
      if (code === close) return;
      if (code !== COMMA) throw broken();
      this.space();
    }
  }

  /** Passes one value. */
  pass(): void {
    for (let depth = this.#pass(0); depth >= 0; depth = this.#pass(depth))
      this.#due = this.at + SLICE_BYTES;
  }

  #name(): string {
    if (this.space() !== QUOTE) throw broken();
    const start = this.at;
    this.at = behindString(this.bytes, start, this.end);
    const name = jsonAt(this.bytes, { start, end: this.at }) as string;
    if (this.space() !== COLON) throw broken();
    this.at++;
    this.space();
    return name;
  }

  *#value(): Generator<undefined, void> {
    this.values++;
    for (let depth = this.#pass(0); depth >= 0; depth = this.#pass(depth)) {
      yield;
      this.#due = this.at + SLICE_BYTES;
    }
  }

  /** Goes on inside of a value, as far as a slice reaches. @returns the depth there; -1: behind the value */
  #pass(from: number): number {
    const { bytes, end } = this;
    const stop = Math.min(this.#due, end);
    let { at, values, deepest } = this;
    let depth = from;
    let isPassed = false;
    while (!isPassed && at < stop) {
      if (depth > 0) {
        while (at < stop && MEANS[bytes[at] as number] === 0) at++;
        if (at === stop) break;
      }
      const code = bytes[at] as number;
      const bracket = code | OBJECT_BIT;
      if (code === QUOTE) {
        at = behindString(bytes, at, end);
        isPassed = depth === 0;
      } else if (bracket === OPEN_OBJECT) {
        at++;
        values++;
        if (++depth > deepest) deepest = depth;
      } else if (bracket === CLOSE_OBJECT) {
        if (depth > 0) at++;
        isPassed = depth < 2;
        depth--;
      } else if (code === COMMA) {
        isPassed = depth === 0;
        if (!isPassed) {
          at++;
          values++;
        }
      } else if (depth === 0 && code <= 32) isPassed = true;
      else at++;
    }
    this.at = at;
    this.values = values;
    this.deepest = deepest;
    if (isPassed) return -1;
    if (at < end) return depth;
    if (depth > 0) throw broken();
    return -1;
  }
}

/** Position behind the string that begins at `from`. */
export function behindString(bytes: Buffer, from: number, end: number): number {
  for (let at = from + 1; at < end; ) {
    for (const near = Math.min(at + NEAR_BYTES, end); at < near; ) {
      const code = bytes[at];
      if (code === QUOTE) return at + 1;
      at += code === BACKSLASH ? 2 : 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) break;
    let escapes = 0;
    while (quote - escapes > at && bytes[quote - escapes - 1] === BACKSLASH) escapes++;
    at = quote + 1;
    if (escapes % 2 === 0) return at;
  }
  throw broken();
}

/** What the JSON in these bytes says. @throws SyntaxError */
export const jsonAt = (bytes: Buffer, { start, end }: Place): unknown =>
  JSON.parse(bytes.toString('utf8', start, end));

export const broken = (): SyntaxError => new SyntaxError('the message is no JSON');
