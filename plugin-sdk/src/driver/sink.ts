import type { AppenderOptions } from '../sql/database.ts';
import type { SqlValue } from '../sql/statements.ts';
import type { Fifo } from './fifo.ts';

/** Appender as its group commit sees it. */
export interface Member {
  readonly options: AppenderOptions;
  /** Rows that wait for room in the queue of the commit. */
  readonly outside: Fifo<Entry>;
  waiting: number;
  waitingBytes: number;
  refused: number;
  readonly stored: { rows: number; batches: number; ms: number };
  hasRoomFor(entry: Entry): boolean;
}

/** One row on its way. */
export interface Entry {
  readonly row: readonly SqlValue[];
  readonly appender: Member;
  readonly seq: number;
  /** `performance.now()` of `append`: a clock that is set does not end the wait. */
  at: number;
  readonly bytes: number;
  /** Made once per row by a sink that needs one, so that a repeated batch is recognised. */
  id: string | undefined;
  /** A batch with this row failed, and may have been stored all the same. */
  doubtful: boolean;
  settled: boolean;
  /** Settles the entry; with a rejected promise it was not stored. */
  done(refusal?: Promise<never>): void;
}

/** Settles an entry; without an error it was stored. */
export type Settle = (entry: Entry, error?: unknown) => void;

/** Stores batches: a driver's bulk insert. */
export interface Sink {
  /** Batches in flight at most. */
  readonly parallel: number;
  /**
   * Stores the entries, each in the table of its `appender`, in one transaction, and calls `settle` for each: without error
   * after the commit that holds it, with one when the row itself cannot be stored. Rejects when the database cannot be
   * reached; what was not settled is then sent again.
   */
  store(entries: readonly Entry[], settle: Settle): Promise<void>;
}

/** The entries of a batch by the table they belong to, each in the order of arrival. */
export const byTable = (entries: readonly Entry[]): [AppenderOptions, Entry[]][] =>
  [...Map.groupBy(entries, ({ appender }) => appender)].map(([{ options }, rows]) => [
    options,
    rows,
  ]);
