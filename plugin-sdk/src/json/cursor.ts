export const QUOTE = 34;
export const COMMA = 44;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;
export const COLON = 58;
export const BACKSLASH = 92;
/** `[` and `{` differ in this bit alone, and so do `]` and `}`. */
const OBJECT_BIT = 32;

/** Table with 1 for the bytes that mean something inside of a list or object: most do not, and one lookup tells. */
const MEANS = new Uint8Array(256);
for (const code of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  MEANS[code] = 1;

const NINE = 57;
/** Table with 1 for the bytes that may stand in a number; `e` stands in `true` and `false` as well. */
const IN_NUMBER = new Uint8Array(256);
for (const code of Buffer.from('0123456789+-.eE')) IN_NUMBER[code] = 1;
/** A string of which the text says what it is. */
const PLAIN = /^"[ !#-[\]-\uffff]*"$/;

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
  /** Values in it, itself included. */
  readonly values: number;
}

/** Bounds of a value in the bytes. */
export type Place = Pick<Span, 'start' | 'end'>;

/**
 * Position in the bytes of a JSON text that moves over values without making them, in slices. It checks what lies around the
 * values that it is asked for; what they hold is left to the parser. All errors are `SyntaxError`.
 */
export class Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  /** Values that have been passed, the names of members left out. */
  values = 0;
  /** Levels of the deepest value that has been passed; a scalar has none. */
  deepest = 0;
  #due: number;
  /** The same text where each character of it is one byte: cutting it costs less than decoding. */
  readonly #text: string | undefined;

  /** @param source bytes in UTF-8, or a text, in which positions are those of its bytes */
  constructor(source: Buffer | string, at = 0, end?: number) {
    const isText = typeof source === 'string';
    this.bytes = isText ? Buffer.from(source) : source;
    this.#text = isText && this.bytes.length === source.length ? source : undefined;
    this.at = at;
    this.end = end ?? this.bytes.length;
    this.#due = at + SLICE_BYTES;
  }

  /** Returns the text that stands at a place. */
  text({ start, end }: Place): string {
    return this.#text?.slice(start, end) ?? this.bytes.toString('utf8', start, end);
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
      const name = isObject ? this.name() : '';
      const start = this.at;
      const before = this.values;
      this.values++;
      for (let depth = this.#pass(0); depth >= 0; depth = this.#pass(depth)) {
        yield;
        this.#due = this.at + SLICE_BYTES;
      }
      if (this.at === start) throw invalidJson();
      yield { name, start, end: this.at, values: this.values - before };
      const code = this.space();
      this.at++;
      if (code === close) return;
      if (code !== COMMA) throw invalidJson();
      this.space();
    }
  }

  /** Returns the members or elements of the object or list behind the white space here, repeated names included. */
  list(): Span[] {
    this.space();
    const spans: Span[] = [];
    for (const span of this.items()) if (span) spans.push(span);
    return spans;
  }

  /** Moves to the next number outside of strings, and behind it; for a text that has passed `JSON.parse`. */
  number(): Place | undefined {
    const { bytes, end } = this;
    for (let { at } = this; at < end; ) {
      const code = bytes[at] as number;
      if (code === QUOTE) at = skipString(bytes, at, end);
      else if (code > NINE || IN_NUMBER[code] === 0) at++;
      else {
        const start = at;
        while (at < end && IN_NUMBER[bytes[at] as number] === 1) at++;
        this.at = at;
        return { start, end: at };
      }
    }
    this.at = end;
    return undefined;
  }

  /** Passes one value. */
  pass(): void {
    for (let depth = this.#pass(0); depth >= 0; depth = this.#pass(depth))
      this.#due = this.at + SLICE_BYTES;
  }

  /** Passes the name of a member and its colon. @returns what it says */
  name(): string {
    if (this.space() !== QUOTE) throw invalidJson();
    const start = this.at;
    this.at = skipString(this.bytes, start, this.end);
    const quoted = this.text({ start, end: this.at });
    const name = PLAIN.test(quoted) ? quoted.slice(1, -1) : (JSON.parse(quoted) as string);
    if (this.space() !== COLON) throw invalidJson();
    this.at++;
    this.space();
    return name;
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
        at = skipString(bytes, at, end);
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
    if (depth > 0) throw invalidJson();
    return -1;
  }
}

/** Returns the position behind the string that begins at `from`. @throws SyntaxError */
export function skipString(bytes: Buffer, from: number, end: number): number {
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
  throw invalidJson();
}

/** Parses the JSON in these bytes. @throws SyntaxError */
export const jsonAt = (bytes: Buffer, { start, end }: Place): unknown =>
  JSON.parse(bytes.toString('utf8', start, end));

export const invalidJson = (): SyntaxError => new SyntaxError('the message is no JSON');
