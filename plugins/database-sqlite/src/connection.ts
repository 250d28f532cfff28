import { BoundedCache, codeOf } from '@svc/plugin-sdk/driver';
import Sqlite from 'better-sqlite3';
import { limitLog } from './disk-room.ts';

export type Synchronous = 'NORMAL' | 'FULL';
/** `script` writes for a caller, in another process, while the writer waits. `file` is no part of the main database. */
export type Role = 'writer' | 'main' | 'reader' | 'execute' | 'script' | 'file';

/** Settings of one connection; they cross to worker threads as they are. */
export interface ConnectionSettings {
  readonly file: string;
  readonly role: Role;
  readonly synchronous: Synchronous;
  /** Create the file when it is missing. */
  readonly create: boolean;
  /** Size of the reserve for a full disk, which bounds the log. */
  readonly reserve_bytes?: number;
  /** Memory that a statement of a caller may take in its process. */
  readonly memory_bytes?: number;
}

/**
 * One budget of 33 MB for the whole server, in KB; two connections for SQL of callers may exist at once. All of the writer's
 * is filled within minutes: 4 MB saved no time with 1,000 agents, nor 2 MB with 5,000.
 */
const cacheKb: Record<Role, number> = {
  writer: 1_024,
  main: 8_192,
  reader: 16_384,
  execute: 4_096,
  script: 4_096,
  file: 4_096,
};

/** Opens a connection with the options of configuration.md §4; only the writer may change anything. */
export function openConnection(settings: ConnectionSettings): Sqlite.Database {
  const readonly = !['writer', 'script', 'file'].includes(settings.role);
  const fileMustExist = !['writer', 'file'].includes(settings.role) || !settings.create;
  const db = new Sqlite(settings.file, { readonly, fileMustExist, timeout: 5_000 });
  try {
    if (!readonly) {
      // Only a new file takes this; it must come before the journal mode writes the first page. On a file in use it
      // would have to wait for the writing program.
      if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL');
      useWal(db);
      limitLog(db, settings.reserve_bytes);
    }
    db.pragma(`synchronous = ${settings.synchronous}`);
    db.pragma('busy_timeout = 5000');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = -${cacheKb[settings.role]}`);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

const WAL_TRIES = 100;
const WAL_PAUSE_MS = 50;

/** SQLite does not wait when two programs make this change at once, so this function waits; it never runs on the main thread. */
function useWal(db: Sqlite.Database): void {
  for (let tries = 1; ; tries++) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || tries === WAL_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_PAUSE_MS);
    }
  }
}

/** Prepared statements by text. */
export class Statements {
  readonly #db: Sqlite.Database;
  readonly #pluck: boolean;
  readonly #cache = new BoundedCache<string, Sqlite.Statement>({ most: 200 });

  /** `pluck`: rows are their first column. */
  constructor(db: Sqlite.Database, options: { pluck?: boolean } = {}) {
    this.#db = db;
    this.#pluck = options.pluck ?? false;
  }

  get(sql: string): Sqlite.Statement {
    const cached = this.#cache.get(sql);
    if (cached) return cached;
    // Integers come as BigInt and are narrowed by `exact`: a double would silently change those above 2^53.
    const statement = this.#db.prepare(sql).safeIntegers();
    if (this.#pluck) statement.pluck();
    // A PRAGMA may act while it is prepared, so a cached one would do nothing; the rest is not repeated.
    if (cacheable.test(sql)) this.#cache.set(sql, statement);
    return statement;
  }
}

const cacheable =
  /^\s*(?:select|insert|update|delete|replace|with|values|begin|commit|rollback)\b/i;
