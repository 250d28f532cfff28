import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Break } from './end-file.ts';
import {
  chainName,
  type Entry,
  lineOf,
  type Mark,
  ORIGIN,
  type Row,
  sha256,
  textOf,
} from './entry.ts';
import { isSigned } from './key.ts';
import { goneText } from './outside.ts';
import type { ChainRow, Checkpoint, Store } from './store.ts';

const PAGE_ROWS = 100;
const MOST_PROBLEMS = 100;

export interface Problem {
  /** Row at which it shows. */
  readonly seq: number;
  readonly problem: string;
}

/** Result of the check of one chain. */
export interface ChainReport {
  readonly chain: string;
  readonly server_uuid: string;
  /** DER (SPKI) in base64. */
  readonly public_key: string;
  /** Tells whether the key is this server's own; any other is taken from the table. */
  readonly own: boolean;
  /** 0: none. */
  readonly first_seq: number;
  readonly last_seq: number;
  readonly rows: number;
  /** Problems found, 100 at most. */
  readonly problems: readonly Problem[];
}

/** Facts of this process about its own chain. */
export interface Own {
  readonly chain: string;
  readonly publicKey: string;
  /** Last row that it has written, or that the file next to the key names. */
  readonly end: Pick<Mark, 'seq' | 'hash'> | undefined;
  /** Missing rows by the file. */
  readonly breaks?: readonly Break[];
  /** Reason why the file proves nothing; undefined: it does, or there never was one. */
  readonly fault?: string | undefined;
}

/** Checks every chain of the database: a changed, removed, moved or added row, a forged or missing end. */
export async function verifyAll(
  store: Store,
  own: Own | undefined,
  signal: AbortSignal,
): Promise<ChainReport[]> {
  const chains = await store.chains();
  const reports: ChainReport[] = [];
  for (const row of chains) reports.push(await new ChainCheck(store, row, own).run(signal));
  const isGone = own?.end !== undefined && !chains.some(({ chain }) => chain === own.chain);
  if (isGone) reports.push(goneReport(own));
  return reports;
}

const goneReport = ({ chain, publicKey, end }: Own): ChainReport => ({
  chain,
  server_uuid: '',
  public_key: publicKey,
  own: true,
  ...{ first_seq: 0, last_seq: 0, rows: 0 },
  problems: [{ seq: end?.seq ?? 0, problem: 'the chain of this server is gone' }],
});

class ChainCheck {
  readonly #store: Store;
  readonly #own: Own | undefined;
  readonly #problems: Problem[] = [];
  #row: ChainRow;
  #checkpoints = new Map<number, Checkpoint>();
  /** Hash of the row before the next one; undefined: it is not known. */
  #prev: string | undefined = ORIGIN;
  #expected = 1;
  #rows = 0;
  #first = 0;

  constructor(store: Store, row: ChainRow, own: Own | undefined) {
    this.#store = store;
    this.#row = row;
    this.#own = own?.chain === row.chain ? own : undefined;
  }

  async run(signal: AbortSignal): Promise<ChainReport> {
    await this.#begin();
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#store.rows(this.#row.id, this.#expected - 1, PAGE_ROWS);
      for (const row of page) if (!(await this.#take(row))) break;
      if (page.length === 0 && (await this.#isEnd())) break;
      await nextTurn();
    }
    this.#checkEnd();
    const { chain, server_uuid, public_key } = this.#row;
    return {
      ...{ chain, server_uuid, public_key, own: this.#own !== undefined },
      first_seq: this.#first,
      last_seq: this.#expected - 1,
      rows: this.#rows,
      problems: this.#problems,
    };
  }

  /** Moves to the first remaining row, which follows a checkpoint. */
  async #begin(): Promise<void> {
    const { id, base } = this.#row;
    const marks = await this.#store.checkpoints(id, base);
    this.#checkpoints = new Map(marks.map((mark) => [mark.seq, mark]));
    for (const mark of marks)
      if (!this.#isSigned(mark))
        this.#problem(mark.seq, 'the checkpoint is not signed by the key of the chain');
    const { chain, server_uuid, public_key } = this.#row;
    if (chain !== chainName(server_uuid, public_key))
      this.#problem(0, 'the chain is not named after its server and key');
    this.#expected = base + 1;
    this.#prev = base === 0 ? ORIGIN : this.#checkpoints.get(base)?.hash;
    if (this.#prev === undefined)
      this.#problem(base, 'the checkpoint at which retention ended is missing');
  }

  /** @returns false: retention went on meanwhile, read again from where it is now */
  async #take(row: Row): Promise<boolean> {
    const { seq, hash } = row;
    if (seq !== this.#expected) {
      if (await this.#hasMoved()) return false;
      this.#problem(this.#expected, missing(this.#expected, seq - 1));
      this.#prev = undefined;
    }
    const found =
      this.#prev && sha256(lineOf(this.#row.chain, this.#prev, seq, row satisfies Entry));
    if (found !== undefined && found !== hash)
      this.#problem(seq, 'the row was changed, or does not follow the row before');
    if (this.#own?.end?.seq === seq && this.#own.end.hash !== hash)
      this.#problem(seq, 'the row is not the one that the file beside the key names');
    const mark = this.#checkpoints.get(seq);
    if (mark && mark.hash !== hash)
      this.#problem(seq, 'the row is not the one that the checkpoint signed');
    this.#prev = hash;
    this.#first ||= seq;
    this.#rows++;
    this.#expected = seq + 1;
    return true;
  }

  async #hasMoved(): Promise<boolean> {
    const now = await this.#store.chain(this.#row.chain);
    if (!now || now.base < this.#expected) return false;
    this.#row = now;
    await this.#begin();
    return true;
  }

  /** Rows and the signed end are stored together: an end beyond the last row is read anew once more rows are. */
  async #isEnd(): Promise<boolean> {
    const now = await this.#store.chain(this.#row.chain);
    if (now) this.#row = now;
    const next = await this.#store.rows(this.#row.id, this.#expected - 1, 1);
    return next.length === 0;
  }

  #checkEnd(): void {
    const { seq, hash, base } = this.#row;
    const last = this.#expected - 1;
    if (!this.#isSigned(this.#row))
      this.#problem(seq, 'the end is not signed by the key of the chain');
    if (last < seq) this.#problem(last + 1, `${missing(last + 1, seq)} at the end`);
    if (last > seq) this.#problem(seq + 1, 'rows stand behind the signed end');
    if (last === seq && seq > base && this.#prev !== hash)
      this.#problem(seq, 'the last row is not the one that the end signed');
    for (const mark of this.#checkpoints.values())
      if (mark.seq > last) this.#problem(mark.seq, 'the row of a checkpoint is missing');
    this.#checkFile();
    const end = this.#own?.end;
    if (end && seq < end.seq) this.#problem(seq, `the end was put back from row ${end.seq}`);
  }

  #checkFile(): void {
    const { breaks = [], fault } = this.#own ?? {};
    for (const { at, from, to } of breaks)
      this.#problem(from, `${goneText(from, to)}, seen ${new Date(at).toISOString()}; ${ACCEPT}`);
    if (fault !== undefined) this.#problem(this.#row.seq, fault);
  }

  #isSigned(mark: Mark & { readonly signature: string }): boolean {
    const { chain, public_key } = this.#row;
    return isSigned(this.#own?.publicKey ?? public_key, textOf(chain, mark), mark.signature);
  }

  #problem(seq: number, problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ seq, problem });
  }
}

const ACCEPT = 'where you know why, say svc-server audit-accept';

const missing = (from: number, to: number): string =>
  from === to ? `row ${from} is missing` : `rows ${from} to ${to} are missing`;
