import type { Clock, Logger } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import {
  chainName,
  type Entry,
  lineOf,
  type Mark,
  ORIGIN,
  type Row,
  type SignedMark,
  sha256,
  textOf,
} from './entry.ts';
import { isSigned, type Key } from './key.ts';
import type { Outside } from './outside.ts';
import type { ChainRow, Checkpoint, Store } from './store.ts';

/** Number of segments in a full table: one is full with this share of the bytes, or of the time that rows are kept, at most a day. */
const SEGMENTS = 16;
const DAY_MS = 86_400_000;
/** Bytes of a row on the disk in addition to its line, with its index entries. Measured on both databases. */
const ROW_BYTES = 64;
/** Attempts at one batch: other processes of this server may write to the chain at the same moment. */
const ATTEMPTS = 10;

interface Options {
  readonly store: Store;
  readonly key: Key;
  /** File with the end, in addition to the table. */
  readonly outside: Outside;
  readonly serverUuid: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Most bytes of all rows. */
  readonly most: () => number;
  /** Shortest retention of rows, ms. */
  readonly kept: () => number;
}

/** End of the chain, as far as this process knows. */
interface End extends Mark {
  readonly id: number;
  /** End in the table: another process may have written since. */
  readonly stored: Mark;
  readonly segment_bytes: number;
  readonly segment_at: number;
}

/** Chain of one server and key. Several processes may write to it: each batch is appended to the stored end. */
export class Chain {
  readonly name: string;
  readonly #options: Options;
  #end: End | undefined;
  readonly #queue = new SerialQueue();

  constructor(options: Options) {
    this.#options = options;
    this.name = chainName(options.serverUuid, options.key.publicKey);
  }

  /** Last row that this process has written or read; undefined: none yet. */
  get end(): Mark | undefined {
    return this.#end;
  }

  /** Stores these events in their order, all or none. */
  append(entries: readonly Entry[]): Promise<void> {
    return this.#inTurn((end) => {
      const { rows, bytes } = this.#rowsOf(end, entries);
      const { seq, hash } = rows.at(-1) ?? end;
      const { clock, kept, most } = this.#options;
      const at = clock.now();
      const segment_bytes = end.segment_bytes + bytes;
      const segment_at = end.segment_at || at;
      const mark = this.#signed({ seq, hash, at, base: end.base });
      const isFull =
        segment_bytes >= most() / SEGMENTS ||
        at - segment_at >= Math.min(DAY_MS, kept() / SEGMENTS);
      const segment = isFull ? { segment_bytes: 0, segment_at: 0 } : { segment_bytes, segment_at };
      const open = { ...segment, ...(this.#options.outside.isKept && { outside: 1 }) };
      const checkpoint: Checkpoint | undefined = isFull
        ? { ...mark, bytes: segment_bytes }
        : undefined;
      return { to: { ...mark, ...open }, rows, checkpoint };
    });
  }

  /** States that the rows up to this one, the last of a segment, are removed. */
  rebase(base: number): Promise<void> {
    return this.#inTurn(({ seq, hash, segment_bytes, segment_at }) => {
      const mark = this.#signed({ seq, hash, at: this.#options.clock.now(), base });
      return { to: { ...mark, segment_bytes, segment_at }, rows: [], checkpoint: undefined };
    });
  }

  /** Stored row of the chain; created when it is missing. */
  async row(): Promise<ChainRow> {
    const { store, key, serverUuid, clock } = this.#options;
    const found = await store.chain(this.name);
    if (found) return found;
    const mark = this.#signed({ seq: 0, hash: ORIGIN, at: clock.now(), base: 0 });
    const names = { chain: this.name, server_uuid: serverUuid, public_key: key.publicKey };
    await store.addChain({ ...names, ...mark, segment_bytes: 0, segment_at: 0 });
    const made = await store.chain(this.name);
    if (made) return made;
    throw new Error('the chain was stored and is not there');
  }

  #inTurn(change: (end: End) => Parameters<Store['append']>[2]): Promise<void> {
    return this.#queue.run(() => this.#change(change));
  }

  async #change(change: (end: End) => Parameters<Store['append']>[2]): Promise<void> {
    const { store } = this.#options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const end = this.#end ?? (await this.#load());
      this.#end = undefined;
      const next = change(end);
      try {
        if (!(await store.append(end.id, end.stored, next))) continue;
      } catch (error) {
        if (store.isTaken(error)) continue;
        throw error;
      }
      const to = next.to as End & SignedMark;
      const { seq, hash, at, base, signature } = to;
      await this.#options.outside.keep(this.name, { seq, hash, at, base, signature });
      this.#end = { ...to, id: end.id, stored: to };
      return;
    }
    throw new Error('the audit chain was changed at every attempt to write to it');
  }

  /** Compares what is stored with the file. */
  async compare(): Promise<void> {
    const { outside, store } = this.#options;
    const stored = await this.row();
    await outside.compare(stored, (seq) => store.hashOf(stored.id, seq));
  }

  async #load(): Promise<End> {
    const { outside, store, log } = this.#options;
    const stored = await this.row();
    await outside.compare(stored, (seq) => store.hashOf(stored.id, seq));
    const last = await store.last(stored.id);
    const isEnd = last
      ? last.seq === stored.seq && last.hash === stored.hash
      : stored.seq === stored.base;
    const signed = isSigned(stored.public_key, textOf(this.name, stored), stored.signature);
    if (!signed || !isEnd)
      log.error(
        'the audit was changed behind the back of the server: see svc-server audit-verify',
        {
          chain: this.name,
        },
      );
    const { id, segment_bytes, segment_at } = stored;
    // Rows after the stated end keep their positions, so that the change stays visible.
    const { seq, hash } = last && last.seq > stored.seq ? last : stored;
    const base = signed ? stored.base : await this.#signedBase(id);
    return { id, seq, hash, at: stored.at, base, stored, segment_bytes, segment_at };
  }

  /** Last removed row by the last checkpoint that is intact. */
  async #signedBase(id: number): Promise<number> {
    const { store, key } = this.#options;
    const all = await store.checkpoints(id, 0);
    return (
      all.findLast((mark) => isSigned(key.publicKey, textOf(this.name, mark), mark.signature))
        ?.base ?? 0
    );
  }

  #rowsOf({ seq: from, hash: prev }: Mark, entries: readonly Entry[]) {
    const rows: Row[] = [];
    let bytes = 0;
    let hash = prev;
    for (const [index, entry] of entries.entries()) {
      const seq = from + 1 + index;
      const line = lineOf(this.name, hash, seq, entry);
      hash = sha256(line);
      bytes += Buffer.byteLength(line) + ROW_BYTES;
      rows.push({ seq, ...entry, hash });
    }
    return { rows, bytes };
  }

  #signed(mark: Mark) {
    return { ...mark, signature: this.#options.key.sign(textOf(this.name, mark)) };
  }
}
