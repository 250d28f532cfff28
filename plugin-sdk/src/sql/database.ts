import type { Clock } from '../clock.ts';
import type { RawJson } from '../json/raw.ts';
import type { Logger } from '../log.ts';
import type { MigrationDatabase } from './migration.ts';
import type { QueryBuilder } from './query.ts';
import type { CallerValue, Dialect, SqlForms, SqlValue } from './statements.ts';
import type { TimePartitions, TimeTable } from './time-partitions.ts';

/**
 * Guards by table: a `secret` one is neither read nor changed, a `fixed` one is not changed; of a `data` one rows are
 * changed, and it is not renamed, dropped or given columns, indexes or triggers. A `counter` is changed by its own triggers
 * only, when rows of another table change, no matter who changes them; on Postgres their function has the counter's name.
 */
export type GuardedTables = { readonly [table: string]: 'secret' | 'fixed' | 'data' | 'counter' };
/** Caller whose SQL runs: the Super Token, or another token, which reaches nothing of the database engine itself. */
export type SqlCaller = 'super' | 'token';

/**
 * The main database. Placeholders are `?` on every database. int8 comes as number when safe, else BigInt; JSON comes as
 * text; times are integer milliseconds. A failing statement is `RpcError` 103 with the driver's error as `cause`, except
 * in `execute`, which throws the driver's own.
 */
export interface Database {
  /** Dialect for a store whose SQL has to differ as a whole. Smaller differences: `forms`, and what the database can do. */
  readonly dialect: Dialect;
  /** Writes and ordinary queries. On SQLite its statements run in the writer thread. */
  readonly query: QueryBuilder;
  /** SQL that databases write in different ways. */
  readonly forms: SqlForms;
  /** Tells whether several servers may use this database at a time. */
  readonly severalServers: boolean;
  /** Partitions of a table that a migration partitioned by time; undefined: this database has no such tables. */
  readonly timePartitions: ((table: TimeTable) => TimePartitions) | undefined;
  /**
   * Runs `work` in a transaction, at most 60 s long. Await only the database in it.
   * `alone` names a table that nothing else, on any server, changes meanwhile.
   */
  transaction<T>(
    work: (trx: QueryBuilder) => Promise<T>,
    options?: { readonly alone?: string },
  ): Promise<T>;
  /**
   * Runs `work`, which is one statement, under a lock that all servers know by its number: several shared holders or one
   * that is not. A database with a single writer needs no lock and takes none.
   */
  locked<T>(
    lock: { readonly id: number; readonly shared: boolean },
    work: (on: QueryBuilder) => Promise<T>,
  ): Promise<T>;
  /** A short read over an index, as objects. On SQLite it runs prepared on this thread: keep it below a millisecond. */
  all<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  first<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row | undefined>;
  /**
   * A read whose rows each hold one text column of JSON, joined into one JSON array away from the event loop.
   * On SQLite a column that is a blob is the whole array, in UTF-8.
   * `short` says that the rows are few and indexed, so SQLite may read them on this thread; with `try` it does so until
   * the answer turns out to be long. `share` is the caller for whom it reads: long reads serve callers in turns.
   * @throws RpcError -32008 as soon as `maxBytes` is passed, without reading on
   */
  jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean | 'try'; share?: string },
  ): Promise<RawJson>;
  /** Group-committed inserts into one table; see `Appender`. */
  appender(options: AppenderOptions): Appender;
  /**
   * Any SQL of a caller, on a connection of its own where it only reads, ended at `timeout_ms`.
   * SQLite takes several statements; their rows are concatenated. `?5` and `$5` are the fifth value there, `?` is the one
   * after the highest that the text has used so far; missing values are NULL, surplus ones ignored (db.md §4.6). TEXT
   * that is not UTF-8 comes as bytes. Postgres takes `$5`, and types values by their kind: int8, float8, bool, jsonb;
   * texts are untyped. `share` is the caller: callers get the processes or connections for it in turns. Files and
   * programs of the host stay out of reach; only `VACUUM INTO` may make a file, in the folder `vacuum_folder`.
   */
  execute(
    sql: string,
    params: readonly CallerValue[],
    options: {
      maxRows: number;
      timeout_ms: number;
      signal?: AbortSignal;
      share?: string;
      vacuum_folder?: string | undefined;
    },
  ): Promise<Executed>;
  /**
   * `execute` for callers who are kept from these tables, whatever their text does: functions, triggers, views; asked once
   * for each kind of caller, after the migrations. undefined: this driver cannot keep them apart.
   * @throws Error that says what the operator has to change
   */
  readonly guard?: (tables: GuardedTables, caller: SqlCaller) => Promise<Database['execute']>;
  /** Bytes of each table in name order, the ledger of migrations left out; of large ones SQLite gives a close estimate. */
  tableSizes(): Promise<TableSize[]>;
  /** Space that the tables occupy on the disk; undefined: this database does not tell. */
  readonly space?: Space;
  /** Tells whether the error is a unique or primary key violation. */
  isUniqueViolation(error: unknown): boolean;
}

/** Space that a database occupies on the disk, and how free places go back to the system. */
export interface Space {
  /** Bytes that these tables use, indexes included and free places left out. Up to `enough` the figure may be too high. */
  used(tables: readonly string[], enough: number): Promise<number>;
  /** Size of the disk that holds the database, bytes; undefined: this program does not see it. */
  disk(): Promise<number | undefined>;
  /** Bytes that are free on that disk; undefined: this program does not see it. */
  free?(): Promise<number | undefined>;
  /** One small step, which holds up other writes for a few milliseconds. @returns whether there is more to give back */
  giveBack(): Promise<boolean>;
}

export interface TableSize {
  readonly name: string;
  readonly bytes: number;
}

/** The main database as its driver opens it. Only the kernel migrates and closes it. */
export interface DatabaseHandle extends Database {
  /**
   * Runs `work` in one transaction. Of all programs that use the database, one at a time is in here; the others wait up
   * to ten minutes. A program that is killed leaves nothing behind. The database ends no statement for taking long.
   */
  migration<T>(work: (db: MigrationDatabase) => Promise<T>): Promise<T>;
  /** Stores what the appenders hold, at most 8 s long, then closes every connection and thread. */
  close(): Promise<void>;
}

/** Request of the kernel to the drivers (docs/guide/database-driver.md). */
export interface DatabaseRequest {
  /** `database.database_url` as it is written. */
  readonly url: string;
  /** The table `[database]`. The driver checks what it reads. */
  readonly options: { readonly [key: string]: unknown };
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * `serve`: a database that only one server may use is refused to a second one. `tool`: a command next to a server.
   * `look`: nothing may be made or changed (`doctor`); a database that the first start would make is refused with the code `NOT_YET`.
   */
  readonly mode: 'serve' | 'tool' | 'look';
}

export interface Executed {
  readonly columns: readonly string[];
  /** Rows, at most `maxRows`, with values as the driver gives them (text of unknown Postgres types). */
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
  /** Rows of one commit at most. */
  readonly maxBatchRows: number;
  /**
   * A commit begins so long after its first row, ms, or when the writer is idle and 64 rows wait. Default 0: as soon as the
   * writer is idle.
   */
  readonly wait_ms?: number;
  /** An appender of the same database whose rows are committed along, at the pace of that one. */
  readonly with?: Appender;
  /** Rows that may wait; beyond, `append` waits too, and its caller's socket is not read further. */
  readonly capacityRows: number;
}

/** Rows are kept in arrival order; `append` resolves after the commit that holds its row. */
export interface Appender {
  /** @throws RpcError 103 when this row cannot be stored, or the database stays away past the deadline */
  append(row: readonly SqlValue[]): Promise<void>;
  /** Rows that wait. */
  readonly waiting: number;
  /** Rows stored since start, the batches they came in, and the time that these took together, ms. */
  readonly stored: { readonly rows: number; readonly batches: number; readonly ms: number };
  /** Rows refused since start. */
  readonly refused: number;
  /** Has rows that were appended before wait no longer than for an idle writer. */
  hurry(): void;
  /** `hurry`; resolves when everything appended before is stored or refused. */
  flush(): Promise<void>;
}
