import { parseDocument } from '@decimalturn/toml-patch';

/** Key names and array indices from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** Lines, from 1, of the keys of a valid TOML text. */
export interface Lines {
  /** The line of this key, or of the nearest enclosing one that stands in the text. */
  lineOf(path: KeyPath): number | undefined;
  /** True where a key with a value begins: never inside a multi-line text. */
  isKeyLine(line: number): boolean;
}

/** The part of the syntax tree that is read here; the library does not export its node types. */
interface Start {
  readonly loc: { readonly start: { readonly line: number } };
}
interface Pair extends Start {
  readonly type: 'KeyValue';
  readonly key: { readonly value: readonly string[] };
  readonly value: Value;
}
interface Table extends Start {
  readonly type: 'Table' | 'TableArray';
  readonly key: { readonly item: { readonly value: readonly string[] } };
  readonly items: readonly (Pair | Comment)[];
}
interface Comment extends Start {
  readonly type: 'Comment';
}
type Value =
  | (Start & {
      readonly type: 'InlineTable';
      readonly items: readonly { readonly item: Pair | Comment }[];
    })
  | (Start & {
      readonly type: 'InlineArray';
      readonly items: readonly { readonly item: Value | Comment }[];
    })
  | (Start & { readonly type: 'String' | 'Integer' | 'Float' | 'Boolean' | 'DateTime' });

const NOWHERE: Lines = { lineOf: () => undefined, isKeyLine: () => true };

/** Reads the positions out of a text that is valid TOML. */
export function locate(text: string): Lines {
  try {
    return linesOf(parseDocument(text).cst as unknown as readonly (Pair | Table | Comment)[]);
  } catch {
    // Another parser than the one that decides what is valid: where it stumbles, messages go without a line.
    return NOWHERE;
  }
}

function linesOf(blocks: readonly (Pair | Table | Comment)[]): Lines {
  const lines = new Map<string, number>();
  const keyLines = new Set<number>();
  const note: Note = (path, { loc }) => {
    // Implied parents (`a` of `a.b = 1`) are where their first child stands.
    for (let length = path.length; length > 0; length--) {
      const id = idOf(path.slice(0, length));
      if (!lines.has(id)) lines.set(id, loc.start.line);
    }
  };

  const arrays = new Map<string, number>();
  for (const block of blocks) {
    if (block.type === 'Comment') continue;
    const base = block.type === 'KeyValue' ? [] : tablePath(block, arrays);
    if (block.type !== 'KeyValue') note(base, block);
    for (const pair of block.type === 'KeyValue' ? [block] : block.items) {
      if (pair.type !== 'KeyValue') continue;
      keyLines.add(pair.loc.start.line);
      notePair(note, base, pair);
    }
  }
  return {
    isKeyLine: (line) => keyLines.has(line),
    lineOf: (path) =>
      path
        .map((_, drop) => lines.get(idOf(path.slice(0, path.length - drop))))
        .find((line) => line !== undefined),
  };
}

type Note = (path: KeyPath, node: Start) => void;

function notePair(note: Note, base: KeyPath, pair: Pair): void {
  const path = [...base, ...pair.key.value];
  note(path, pair);
  noteValue(note, path, pair.value);
}

function noteValue(note: Note, path: KeyPath, value: Value): void {
  note(path, value);
  if (value.type === 'InlineTable') {
    for (const { item } of value.items) if (item.type === 'KeyValue') notePair(note, path, item);
  } else if (value.type === 'InlineArray') {
    const items = value.items.map(({ item }) => item).filter((item) => item.type !== 'Comment');
    for (const [index, item] of items.entries()) noteValue(note, [...path, index], item);
  }
}

/** The path of a table's header, with the index of each array of tables on the way. */
function tablePath(table: Table, arrays: Map<string, number>): KeyPath {
  const names = table.key.item.value;
  const path: (string | number)[] = [];
  for (const [at, name] of names.entries()) {
    path.push(name);
    const id = idOf(path);
    if (table.type === 'TableArray' && at === names.length - 1) {
      arrays.set(id, (arrays.get(id) ?? -1) + 1);
    }
    const index = arrays.get(id);
    if (index !== undefined) path.push(index);
  }
  return path;
}

const idOf = (path: KeyPath): string => JSON.stringify(path);
