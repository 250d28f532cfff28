import { type Service, service } from './service.ts';
import type { Database } from './sql/database.ts';
import type { QueryBuilder } from './sql/query.ts';

/** Text in `error.data` of a write that is refused because its owner holds enough. */
export const OWNER_FULL = 'the owner holds as much as it may';

/** Limit of what an owner may hold, and the key by which the operator decides it. */
export interface HoldingLimit {
  /** Infinity: no limit. */
  readonly most: number;
  /** Key and section as people search for them: `max_jobs_per_owner under [crontab]`. */
  readonly key: string;
}

export interface HoldingLimits {
  readonly rows?: HoldingLimit;
  /** Bytes of all rows of an owner together. */
  readonly bytes?: HoldingLimit;
  /** Rows of all owners but the Super Token together. The Super Token has as many for itself, which no other owner can use. */
  readonly shared?: HoldingLimit;
}

/** Rows that tokens make: jobs, workers, pages. */
export interface HoldingKind {
  /** One word in the singular, as `token_holdings` shows it: `job`. Two plugins do not share one. */
  readonly kind: string;
  /** More than one of them, for texts: `jobs`. */
  readonly plural: string;
  /**
   * SQL: a `select` of all rows with the columns `owner`, which is what `Owners.of` gave for the caller that wrote the row,
   * and `bytes`. An index with both columns keeps it short: `addHeldBytes` makes one.
   */
  readonly rows: string;
  /** Limits, read at each change, so that a reload counts at once. */
  readonly limits: () => HoldingLimits;
  /** Advice in the text of a refusal; default: `delete some`. */
  readonly remedy?: string;
}

/** A change of rows of one kind. */
export interface HoldingChange {
  readonly kind: string;
  /** Owner that the rows will have; null: the Super Token. */
  readonly owner: string | null;
  /** Name of the turn, as for `Database.transaction`. */
  readonly alone?: string;
}

/**
 * Holdings of each owner, counted in the tables themselves. An owner is a token together with the tokens that it created,
 * and those that these created: creating tokens gives no one room for more. The Super Token holds what has no owner.
 */
export interface Holdings {
  /** Registers a kind, from the hook `prepare` on. @throws Error when the kind is taken */
  register(kind: HoldingKind): void;
  /**
   * Runs `write` in a transaction. It is undone when the owner then holds more than the limits allow, and more than before:
   * what exists beyond a limit may be changed and made smaller. Changes of one owner come one after the other, on all servers.
   * @throws RpcError 108 with `OWNER_FULL` as its data
   */
  within<T>(change: HoldingChange, write: (on: QueryBuilder) => Promise<T>): Promise<T>;
  /** Demands room for one row more, for work that would be wasted without it; `within` decides. @throws RpcError 108 as it does */
  demandRoom(change: HoldingChange): Promise<void>;
}
export const Holdings = service<Holdings>('holdings');

/** Transactions of stores, which count where a plugin counts. */
export type Counting = Omit<Holdings, 'register'>;

/** Service for a plugin that lists `Holdings` under `optional`. */
export function countingIn(kernel: {
  readonly db: Database;
  useOptional<T>(service: Service<T>): T | undefined;
}): Counting {
  return kernel.useOptional(Holdings) ?? uncounted(kernel.db);
}

/** Transactions that count nothing. */
export const uncounted = (db: Pick<Database, 'transaction'>): Counting => ({
  within: (_change, write) => db.transaction(write),
  async demandRoom() {},
});
