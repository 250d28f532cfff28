import { parseDocument } from '@decimalturn/toml-patch';

/** Key names and array indices from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** Lines, from 1, of the keys of a valid TOML text. */
export interface Lines {
  /** The line of this key, or of the nearest enclosing one that stands in the text. */
  lineOf(path: KeyPath): number | undefined;
  /** Tells whether a key with a value begins in a line: never inside a multi-line text. */
  isKeyLine(line: number): boolean;
}

/**
 * Node of the syntax tree, as far as it is read here; the library does not export its node types. Its members depend on
 * its type.
 */
interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly key: { readonly value: readonly string[]; readonly item: Node['key'] };
  readonly value: Node;
  readonly items: readonly Node[];
  readonly item: Node;
}

/** Reads the positions out of a text that is valid TOML. */
export function locate(text: string): Lines {
  try {
    return new Positions(parseDocument(text).cst as unknown as readonly Node[]);
  } catch {
    // Another parser decides what is valid: where this one fails, messages carry no line.
    return { lineOf: () => undefined, isKeyLine: () => true };
  }
}

class Positions implements Lines {
  readonly #lines = new Map<string, number>();
  readonly #keyLines = new Set<number>();
  /** Number of elements so far of each array of tables. */
  readonly #lengths = new Map<string, number>();

  constructor(blocks: readonly Node[]) {
    for (const block of blocks) {
      const isTable = block.type === 'Table' || block.type === 'TableArray';
      const base = isTable ? this.#header(block) : [];
      for (const node of isTable ? block.items : [block]) {
        if (node.type === 'KeyValue') this.#keyLines.add(node.loc.start.line);
        this.#visit(base, node);
      }
    }
  }

  isKeyLine(line: number): boolean {
    return this.#keyLines.has(line);
  }

  lineOf(path: KeyPath): number | undefined {
    if (path.length === 0) return undefined;
    return this.#lines.get(idOf(path)) ?? this.lineOf(path.slice(0, -1));
  }

  /** The path of a table's header, with the index of each array of tables on the way. */
  #header(table: Node): KeyPath {
    const path: (string | number)[] = [];
    const names = table.key.item.value;
    for (const [at, name] of names.entries()) {
      path.push(name);
      const id = idOf(path);
      const isNew = table.type === 'TableArray' && at === names.length - 1;
      if (isNew) this.#lengths.set(id, (this.#lengths.get(id) ?? 0) + 1);
      const length = this.#lengths.get(id);
      if (length !== undefined) path.push(length - 1);
    }
    this.#note(path, table);
    return path;
  }

  #visit(base: KeyPath, node: Node): void {
    if (node.type === 'Comment') return;
    const path = node.type === 'KeyValue' ? [...base, ...node.key.value] : base;
    this.#note(path, node);
    if (node.type === 'KeyValue') this.#visit(path, node.value);
    if (!node.type.startsWith('Inline')) return;
    const items = node.items.map(({ item }) => item).filter(({ type }) => type !== 'Comment');
    for (const [index, item] of items.entries())
      this.#visit(node.type === 'InlineArray' ? [...path, index] : path, item);
  }

  /** Implied parents (`a` of `a.b = 1`) are where their first child stands. */
  #note(path: KeyPath, { loc }: Node): void {
    for (let length = path.length; length > 0; length--) {
      const id = idOf(path.slice(0, length));
      if (!this.#lines.has(id)) this.#lines.set(id, loc.start.line);
    }
  }
}

const idOf = (path: KeyPath): string => JSON.stringify(path);
