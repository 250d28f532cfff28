import { lineOf, type Mark, ORIGIN, textOf } from './entry.ts';
import type { ChainRow, Store } from './store.ts';

const PAGE_ROWS = 100;
/** Rows and characters of one page. */
const MOST_ROWS = 1_000;
const MOST_CHARS = 1_048_576;

/** Row after which the next page begins; `seq` -1: before the chain. */
export interface Cursor {
  readonly chain: number;
  readonly seq: number;
}

export const BEGIN: Cursor = { chain: 0, seq: -1 };

export interface Page {
  /** JSON texts, see README, "The export". */
  readonly lines: readonly string[];
  /** Beginning of the next page; undefined: this was the last one. */
  readonly next: Cursor | undefined;
}

/** Audit as lines that can be verified without this program, page by page. */
export async function exportPage(store: Store, cursor: Cursor): Promise<Page> {
  const chains = await store.chains();
  const chain = chains.find(({ id }) => id >= cursor.chain);
  if (!chain) return { lines: [], next: undefined };
  const from = chain.id === cursor.chain ? cursor : { chain: chain.id, seq: -1 };
  const page = new ChainPage(store, chain);
  const seq = await page.read(from.seq);
  const isLast = seq === undefined && !chains.some(({ id }) => id > chain.id);
  const next = seq === undefined ? { chain: chain.id + 1, seq: -1 } : { chain: chain.id, seq };
  return { lines: page.lines, next: isLast ? undefined : next };
}

class ChainPage {
  readonly lines: string[] = [];
  readonly #store: Store;
  readonly #chain: ChainRow;
  #chars = 0;
  #rows = 0;

  constructor(store: Store, chain: ChainRow) {
    this.#store = store;
    this.#chain = chain;
  }

  /** @returns the last row of a page that is full; undefined at the end of the chain */
  async read(after: number): Promise<number | undefined> {
    const { id, chain, server_uuid, public_key, base } = this.#chain;
    if (after < 0) this.#add(JSON.stringify({ chain, server_uuid, public_key }));
    let { seq, prev } = await this.#start(Math.max(after, base), after < base);
    const marks = new Map(
      (await this.#store.checkpoints(id, seq + 1)).map((mark) => [mark.seq, mark]),
    );
    for (;;) {
      const rows = await this.#store.rows(id, seq, PAGE_ROWS);
      for (const row of rows) {
        this.#add(lineOf(chain, prev, row.seq, row));
        const mark = marks.get(row.seq);
        if (mark) this.#addMark(mark);
        ({ seq, hash: prev } = row);
        this.#rows++;
      }
      if (this.#rows >= MOST_ROWS || this.#chars >= MOST_CHARS) return seq;
      if (rows.length === 0 && (await this.#end(seq))) return undefined;
    }
  }

  /** Hash before the first row of the page. */
  async #start(seq: number, isBase: boolean): Promise<{ seq: number; prev: string }> {
    if (seq === 0) return { seq, prev: ORIGIN };
    const { id } = this.#chain;
    const [mark] = await this.#store.checkpoints(id, seq, seq);
    if (isBase && mark) this.#addMark(mark);
    const [row] = await this.#store.rows(id, seq - 1, 1);
    const isThere = row?.seq === seq;
    // Without either the row is missing: what follows cannot be verified, and shows it.
    return { seq, prev: (isThere ? row.hash : mark?.hash) ?? ORIGIN };
  }

  /** @returns false when rows were added meanwhile */
  async #end(seq: number): Promise<boolean> {
    const now = (await this.#store.chain(this.#chain.chain)) ?? this.#chain;
    const more = await this.#store.rows(now.id, seq, 1);
    if (more.length > 0) return false;
    this.#addMark(now);
    return true;
  }

  #addMark(mark: Mark & { readonly signature: string }): void {
    const { chain } = this.#chain;
    this.#add(JSON.stringify({ chain, signed: textOf(chain, mark), signature: mark.signature }));
  }

  #add(line: string): void {
    this.lines.push(line);
    this.#chars += line.length;
  }
}
