import type { LimitKind } from '@svc/plugin-kv/api';
import { service } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';

export { Turn, type TurnPlace } from './turn.ts';

/** A table with a limit of its own, set by a key `database_limit_*` of the protocol (kv.md §6). */
export interface ExplicitTable {
  /** The explicit limit that goes before the default ones; undefined: there is none. */
  readonly kind?: LimitKind;
  /** Limit of the owner's own configuration, counted back from now, ms; undefined: none. Older rows go by `removeUpTo`. */
  readonly limit_ms?: () => number | undefined;
  /** Deletes rows up to this time, Unix ms, in small statements; `proceed` throws to stop. */
  readonly removeUpTo?: (time: number, proceed: () => void) => Promise<number>;
  /** Rows of agents. */
  readonly agents?: AgentRows;
}

interface Agent {
  readonly id: number;
  readonly uuid: string;
}

/** Rows of agents, by the time that the agents gave them. */
export interface AgentRows {
  /** Every agent. */
  list(): readonly Agent[];
  /** Times of the rows of a few agents; agents without rows are left out. @throws RpcError 103 */
  ages(
    agents: readonly Agent[],
  ): Promise<
    readonly { readonly id: number; readonly oldest: Integer; readonly newest: Integer }[]
  >;
  /** Hears in every round the longest limit when each agent has one, ms. */
  keeps?(longest_ms: number | undefined): void;
  /** Drops partitions up to a time whose agents all agree. */
  drop?(which: {
    readonly upTo: number;
    readonly goes: (agent: { id: number; newest: Integer }) => boolean;
  }): Promise<unknown>;
  /** Deletes rows of an agent up to this time, in small statements. @returns how many */
  remove(uuid: string, to: bigint, proceed: () => void): Promise<number>;
}

/** A table whose rows pile up. */
export interface HistoryTable extends ExplicitTable {
  readonly table: string;
  /** Hears in every round how long rows are kept, ms; undefined: without end. */
  readonly keeps?: (kept_ms: number | undefined) => void;
  /** Deletes the rows of a slice, oldest first, in small statements. @returns how many, a partition counting as one */
  remove(slice: Slice): Promise<number>;
}

/** Rows by the time at which they were stored, Unix ms. */
export interface Slice {
  /** Earlier rows need not be looked at; undefined: all. */
  readonly from: number | undefined;
  readonly before: number;
  /** Time that rows may stay longer where whole partitions go instead of rows. */
  readonly lag_ms: number;
  /** Agents with a limit of their own, lower-case hyphenated: their rows stay. */
  readonly except: readonly string[];
  /** Pauses between two statements, so that reports find the writer free. Throws when the server stops. */
  readonly proceed: () => Promise<void>;
}

/** A table with a column that says when a row was stored, and an index over it with absent values first. */
export interface ArrivalTable extends ExplicitTable {
  readonly table: string;
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
