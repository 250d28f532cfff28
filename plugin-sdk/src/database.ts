import type { Knex } from 'knex';
import type { RawJson } from './json.ts';
import type { Logger } from './log.ts';
import type { Clock } from './plugin.ts';

export type SqlValue = string | number | bigint | null | Uint8Array | boolean;
export type Dialect = 'sqlite' | 'postgres';

/**
 * The main database. Placeholders are `?` on both dialects. int8 comes as number when safe, else BigInt; JSON is text
 * on SQLite and jsonb on Postgres, and comes as text from both; times are integer milliseconds. A failing statement is
 * `RpcError` 103 with the driver's error as `cause`, except in `execute`, which throws the driver's own.
 */
export interface Database {
  readonly dialect: Dialect;
  /** Schema, writes and ordinary queries. On SQLite its statements run in the writer thread. Never await anything but the database in a transaction. */
  readonly knex: Knex;
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** A short read over an index, as objects. On SQLite it runs prepared on this thread: keep it below a millisecond. */
  all<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  first<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row | undefined>;
  /**
   * A read whose rows each hold one text column of JSON, joined into one JSON array away from the event loop.
   * On SQLite a column that is a blob is the whole array, in UTF-8.
   * `short` says that the rows are few and indexed, so SQLite may read them on this thread.
   * @throws RpcError -32008 as soon as `maxBytes` is passed, without reading on
   */
  jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean },
  ): Promise<RawJson>;
  /** Group-committed inserts into one table; see `Appender`. */
  appender(options: AppenderOptions): Appender;
  /**
   * Any SQL of a caller, on a connection of its own where it only reads, ended at `timeout_ms`.
   * SQLite takes several statements; their rows are concatenated. Placeholders are the database's own.
   */
  execute(
    sql: string,
    params: readonly SqlValue[],
    options: { maxRows: number; timeout_ms: number; signal?: AbortSignal },
  ): Promise<Executed>;
  /** True when the error is a unique or primary key violation on either dialect. */
  isUniqueViolation(error: unknown): boolean;
}

/** The main database as its driver opens it. Only the kernel migrates and closes it. */
export interface DatabaseHandle extends Database {
  /**
   * Runs `work` in one transaction. Of all programs that use the database, one at a time is in here; the others wait up
   * to ten minutes. A program that is killed leaves nothing behind. The database ends no statement for taking long.
   */
  migration<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Stores what the appenders hold, at most 8 s long, then closes every connection and thread. */
  close(): Promise<void>;
}

/** What the kernel asks the drivers for (docs/guide/database-driver.md). */
export interface DatabaseRequest {
  /** `database.database_url` as it is written. */
  readonly url: string;
  /** The table `[database]`. The driver checks what it reads. */
  readonly options: { readonly [key: string]: unknown };
  readonly log: Logger;
  readonly clock: Clock;
  /** `serve`: a database that only one server may use is refused to a second one. `tool`: a command beside a server. */
  readonly mode: 'serve' | 'tool';
}

export interface Executed {
  readonly columns: readonly string[];
  /** At most `maxRows`, values as the driver gives them (text of unknown Postgres types). */
  readonly rows: readonly { readonly [column: string]: unknown }[];
  /** Rows produced, the cut ones included. */
  readonly rowCount: number;
  /** Rows changed by statements that return none. */
  readonly affected: number;
  readonly truncated: boolean;
}

export interface AppenderOptions {
  readonly table: string;
  /** Column order of `append` rows. */
  readonly columns: readonly string[];
  /** Column that the application fills on Postgres (time-ordered 64-bit); SQLite uses the rowid. */
  readonly id?: string;
  /** Rows of one commit at most; a commit begins as soon as the writer is idle. */
  readonly maxBatchRows: number;
  /** Rows that may wait; beyond, `append` waits too, and its caller's socket is not read further. */
  readonly capacityRows: number;
}

/** Rows are kept in arrival order; `append` resolves after the commit that holds its row. */
export interface Appender {
  /** @throws RpcError 103 when this row cannot be stored, or the database stays away past the deadline */
  append(row: readonly SqlValue[]): Promise<void>;
  /** Rows that wait. */
  readonly waiting: number;
  /** Rows refused since start. */
  readonly refused: number;
  /** Resolves when everything appended before is stored or refused. */
  flush(): Promise<void>;
}

/** One forward step of a plugin's schema. Names are kebab-case, zero-padded and never renamed. */
export interface Migration {
  readonly name: string;
  /** An older program must not run on a database that has this step. */
  readonly breaking?: boolean;
  up(trx: Knex.Transaction, context: { readonly dialect: Dialect }): Promise<unknown>;
}
