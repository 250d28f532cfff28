import { service } from '@svc/plugin-sdk';
import type { CallerValue, Executed } from '@svc/plugin-sdk/sql';

/** Opens SQLite files in addition to the main database. */
export interface SqliteFiles {
  /**
   * Opens a file, which is made when it is missing. The driver closes what is still open at the end. A statement that
   * takes more than `memory_bytes` ends with its process (`code` of the error: MEMORY_LIMIT).
   */
  open(file: string, limits?: { readonly memory_bytes?: number }): SqliteFile;
}
export const SqliteFiles = service<SqliteFiles>('sqlite.files');

/** Facts for a plugin that works on the main database's file itself. */
export interface Sqlite {
  /** Absolute; undefined when the main database is another one. */
  mainFile(): string | undefined;
  /** Locks a file: no server starts on it until the lock is given back. @throws UserError when one runs on it */
  lock(file: string): Promise<() => void>;
}
export const Sqlite = service<Sqlite>('sqlite');

/**
 * One connection to a SQLite file of a plugin's own, in a process of its own, which is ended when a
 * statement does not end in time. Give it one text of SQL at a time.
 */
export interface SqliteFile {
  /** Tells whether it can be used: no longer after a statement was ended by force, and after `close`. Open another then. */
  readonly usable: boolean;
  /** A statement took long, so the process has a low priority for the rest of its life. */
  readonly slowed: boolean;
  /**
   * Runs statements in order, as `Database.execute` does on SQLite. Integers of rows are BigInt, too, and reals numbers.
   * A transaction that a failed text opened is rolled back. ATTACH, DETACH, VACUUM INTO and extensions are refused.
   * @throws the driver's error; one that says so at `timeout_ms`; the signal's reason
   */
  execute(
    sql: string,
    params: readonly CallerValue[],
    options: ExecuteOptions,
  ): Promise<Executed & { readonly inTransaction: boolean }>;
  /** Rolls back, checkpoints and closes. The last connection of a file also removes its `-wal`. */
  close(): Promise<void>;
}

export interface ExecuteOptions {
  readonly maxRows: number;
  readonly timeout_ms: number;
  /** The file may not grow beyond (`code` of the error: SIZE_LIMIT); 0 or undefined: no limit. */
  readonly max_bytes?: number;
  readonly signal?: AbortSignal;
  /** Yields: when it takes long it gets the processor time that everything else leaves. */
  readonly yields?: boolean;
}
