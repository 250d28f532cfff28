import { type CallerValue, type Executed, service } from '@svc/plugin-sdk';

/** Opens SQLite files beside the main database. */
export interface SqliteFiles {
  /** Opens a file, which is made when it is missing. The driver closes what is still open at the end. */
  open(file: string): SqliteFile;
}
export const SqliteFiles = service<SqliteFiles>('sqlite.files');

/**
 * One connection to a SQLite file of a plugin's own, in a process of its own, which is ended when a
 * statement does not end in time. Give it one text of SQL at a time.
 */
export interface SqliteFile {
  /** False after a statement was ended by force, and after `close`: open another. */
  readonly usable: boolean;
  /**
   * Runs statements in order, as `Database.execute` does on SQLite. Integers of rows are BigInt, too, and reals numbers.
   * A transaction that a failed text opened is rolled back. ATTACH, DETACH, VACUUM INTO and extensions are refused.
   * @throws the driver's error; one that says so at `timeout_ms`; the signal's reason
   */
  execute(
    sql: string,
    params: readonly CallerValue[],
    options: { maxRows: number; timeout_ms: number; signal?: AbortSignal },
  ): Promise<Executed & { readonly inTransaction: boolean }>;
  /** Rolls back, checkpoints and closes. The last connection of a file also removes its `-wal`. */
  close(): Promise<void>;
}
