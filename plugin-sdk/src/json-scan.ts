/** One member of an object or element of an array in JSON text: where its value stands. */
export interface Item {
  /** Empty for an element. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const isOpening = (code: number) => code === 91 || code === 123;
const isClosing = (code: number) => code === 93 || code === 125;
const OPEN_BRACE = 123;

/**
 * The members or elements of the object or array that begins at `from`, in order, repeated names included.
 * The text must have passed `JSON.parse`: the scanner only walks, it does not check.
 */
export function scanItems(text: string, from: number): Item[] {
  const items: Item[] = [];
  let at = skipSpace(text, from);
  const isObject = text.charCodeAt(at) === OPEN_BRACE;
  for (at++; ; ) {
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (isClosing(code)) return items;
    if (code === COMMA) {
      at++;
      continue;
    }
    let name = '';
    if (isObject) {
      const end = skipString(text, at);
      name = text.slice(at + 1, end - 1);
      if (name.includes('\\')) name = JSON.parse(`"${name}"`) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const start = at;
    at = skipValue(text, start);
    items.push({ name, start, end: at });
  }
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || code === 13 || code === 9) at++;
    else return at;
  }
}

/** Position behind the string that begins at `from`. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
}

/** Characters of one piece of a string. */
const PIECE = 256 * 1024;
const HIGH = /^(?:[\ud800-\udbff]|\\u[dD][89abAB])/;

/** The JSON string from `start` to `end` as shorter ones, which say the same one after the other; no character is cut in two. */
export function* stringPieces(text: string, start: number, end: number): Generator<string, void> {
  const step = (at: number) =>
    text.charCodeAt(at) !== BACKSLASH ? 1 : text[at + 1] === 'u' ? 6 : 2;
  for (let from = start + 1; from < end - 1; ) {
    const least = Math.min(from + PIECE, end - 1);
    let last = from;
    let to = from;
    for (; to < least; to += step(to)) last = to;
    if (to < end - 1 && HIGH.test(text.slice(last, to))) to += step(to);
    yield `"${text.slice(from, to)}"`;
    from = to;
  }
}

/** Position behind the value that begins at `from`. */
export function skipValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = skipString(text, at);
    else if (isOpening(code)) {
      depth++;
      at++;
      continue;
    } else if (isClosing(code)) {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0 && (code === COMMA || code <= 32)) return at;
    else {
      at++;
      continue;
    }
    if (depth === 0) return at;
  }
  return text.length;
}

/** How deep the one JSON value of a text nests; 0 for a scalar. */
export function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = skipString(text, at) - 1;
    else if (isOpening(code)) deepest = Math.max(deepest, ++depth);
    else if (isClosing(code)) depth--;
  }
  return deepest;
}
