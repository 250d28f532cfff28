import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { ImportFault } from './types.ts';

/** Levels of lists and maps in each other. */
const MOST_DEPTH = 50;
/** Signs and words of a file: each takes time and some memory, whatever it means. */
const MOST_LEXEMES = 400_000;
const MOST_DIRECTIVES = 10;
/** Values of a file, each as often as its anchor is used. */
const MOST_VALUES = 250_000;

/** Value, and the number of values in it. */
type Counted = readonly [value: unknown, count: number];

/**
 * Reads a file of YAML in a time that grows with its length alone: the library compares each key of a map with all others, looks for
 * an anchor in the whole file, and copies what is merged without an end. Anchors are used and merged as YAML 1.1 says.
 * @throws ImportFault
 */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  const document = composed(text, lines);
  const [fault] = document.errors;
  if (fault) throw new ImportFault(`it cannot be read${at(lines, fault.pos[0])}`, { cause: fault });
  return new Values(lines).of(document.contents);
}

function composed(text: string, lines: LineCounter): Document.Parsed {
  const options = { uniqueKeys: false, merge: true, prettyErrors: false } as const;
  const composer = new Composer(options);
  const [document] = [...composer.compose(tokensOf(text, lines), true, text.length)];
  return document as Document.Parsed;
}

/** Returns what the library builds a document of. It stops at what would be refused at the end, or takes too much until then. */
function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const seen = { document: 0, directive: 0 };
  const demand = (holds: boolean, fault: string) => {
    if (!holds) throw new ImportFault(`${fault}${at(lines, parser.offset)}`);
  };
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    demand(++lexemes <= MOST_LEXEMES, 'it holds too much, from here on');
    for (const token of parser.next(lexeme)) {
      demand(token.type !== 'error', 'it cannot be read');
      if (token.type === 'document' || token.type === 'directive') seen[token.type] += 1;
      demand(seen.document <= 1, 'it holds a second document');
      demand(seen.directive <= MOST_DIRECTIVES, 'it has too many directives');
      yield token;
    }
    demand(parser.stack.length <= MOST_DEPTH, 'it is nested too deeply');
  }
  yield* parser.end();
}

function at(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return ` at line ${line}, column ${col}`;
}

/** Values of the nodes of a document. */
class Values {
  readonly #lines: LineCounter;
  /** What the anchors stand for that ended so far. */
  readonly #anchors = new Map<string, Counted>();

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  of(node: unknown): unknown {
    return this.#read(node)[0];
  }

  #read(node: unknown): Counted {
    if (isAlias(node)) return this.#anchored(node.source);
    const found = bounded(
      isMap(node) ? this.#map(node) : isSeq(node) ? this.#list(node.items) : [scalar(node), 1],
    );
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor)
      this.#anchors.set(node.anchor, found);
    return found;
  }

  #anchored(name: string): Counted {
    const found = this.#anchors.get(name);
    if (found) return found;
    throw new ImportFault('its anchors stand for too much, or for nothing');
  }

  #list(items: readonly unknown[]): Counted {
    let count = 1;
    const values = items.map((item) => {
      const [value, more] = this.#read(item);
      [, count] = bounded([undefined, count + more]);
      return value;
    });
    return [values, count];
  }

  #map(map: YAMLMap): Counted {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    let count = 1;
    for (const { key, value } of map.items as Pair[]) {
      const [found, more] = this.#read(value);
      [, count] = bounded([undefined, count + more]);
      if (isMerge(key)) merge(merged, found);
      else own.set(this.#key(key, own), found);
    }
    for (const [name, value] of merged) if (!own.has(name)) own.set(name, value);
    return [Object.fromEntries(own), count];
  }

  #key(node: unknown, taken: ReadonlyMap<string, unknown>): string {
    const offset = (node as Partial<Scalar> | null)?.range?.[0] ?? 0;
    if (!isScalar(node))
      throw new ImportFault(`it has a key that is no text${at(this.#lines, offset)}`);
    const name = String(node.value ?? '');
    if (!taken.has(name)) return name;
    throw new ImportFault(`it has a key twice${at(this.#lines, offset)}`);
  }
}

function bounded(counted: Counted): Counted {
  if (counted[1] <= MOST_VALUES) return counted;
  throw new ImportFault('its anchors stand for too much, or for nothing');
}

const scalar = (node: unknown): unknown => (isScalar(node) ? node.value : null);

const isMerge = (key: unknown): boolean =>
  isScalar(key) && (key.value === '<<' ? key.type === 'PLAIN' : typeof key.value === 'symbol');

/** Adds the members of a map, or of each map of a list, that are not there yet. */
function merge(into: Map<string, unknown>, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      throw new ImportFault('it merges what is no map');
    for (const [name, member] of Object.entries(one)) if (!into.has(name)) into.set(name, member);
  }
}
