import type { LimitKind } from '@svc/plugin-kv/api';
import { service } from '@svc/plugin-sdk';

export { Turn, type TurnPlace } from './turn.ts';

/** A table whose rows pile up. */
export interface HistoryTable {
  readonly table: string;
  /** The explicit limit that goes before the default ones; undefined: there is none. */
  readonly kind?: LimitKind;
  /** True while the owner's own configuration limits the table. */
  readonly limited?: () => boolean;
  /** Hears in every round how long rows are kept, ms; undefined: for ever. */
  readonly keeps?: (kept_ms: number | undefined) => void;
  /** Deletes the rows of a slice, oldest first, in small statements. @returns how many, a partition counting as one */
  remove(slice: Slice): Promise<number>;
}

/** Rows by the time at which they were stored, Unix ms. */
export interface Slice {
  /** Earlier rows need not be looked at; undefined: all. */
  readonly from: number | undefined;
  readonly before: number;
  /** Where whole partitions go instead of rows, rows may stay this much longer. */
  readonly lag_ms: number;
  /** Agents with a limit of their own, lower-case hyphenated: their rows stay. */
  readonly except: readonly string[];
  /** To be awaited between two statements, so that reports find the writer free. Throws when the server stops. */
  readonly proceed: () => Promise<void>;
}

/** A table with a column that says when a row was stored, and an index over it with absent values first. */
export interface ArrivalTable extends Pick<HistoryTable, 'table' | 'kind'> {
  readonly arrival: string;
  /** SQL that holds for rows that may go; undefined: all. */
  readonly over?: string;
  /** Column with the agent's UUID; undefined: rows belong to no agent. */
  readonly agent?: string;
}

/** Bounds the tables named here by age and by a budget of the disk (`[retention]`). Call it in `setup`. */
export interface History {
  keep(table: HistoryTable | ArrivalTable): void;
}

export const History = service<History>('history');
