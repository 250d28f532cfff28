import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/driver';
import type Sqlite from 'better-sqlite3';
import { LOW_BYTES } from './disk-room.ts';
import type { BoundStatement } from './placeholders.ts';
import { pragmaNumber } from './pragma.ts';

/** Value that SQLite itself takes for "no limit". */
const MOST_PAGES = 0xfffffffe;
/** Bytes that the log of a file may hold beyond the file's own limit. */
const LOG_BYTES = 64 * 2 ** 20;
const IN_MEMORY = 2;

/** `code` of the error of a text that needs more room than its file may take. */
export const SIZE_LIMIT = 'SIZE_LIMIT';

/**
 * Keeps a file of callers within its size while their texts change options: the number of pages is set again after
 * each statement that may change it or the size of a page. What sorts and temporary tables hold stays in memory, which
 * has a limit of its own, and not on a disk without one; only what rewrites the file's own content may use the disk.
 */
export class FileLimits {
  readonly #db: Sqlite.Database;
  readonly #max_bytes: number;
  #isDue = true;

  /** @throws Error SIZE_LIMIT while the log of the file is too large to be folded into it */
  constructor(db: Sqlite.Database, max_bytes: number | undefined) {
    this.#db = db;
    this.#max_bytes = max_bytes || Number.POSITIVE_INFINITY;
    if (!db.inTransaction && this.#hasLongLog()) {
      db.pragma('wal_checkpoint(TRUNCATE)');
      if (this.#hasLongLog()) throw sizeLimit();
    }
  }

  /** Called before each statement. */
  before({ word, sql }: Pick<BoundStatement, 'word' | 'sql'>): void {
    if (this.#isDue) this.#set();
    const rewrites = /^\s*(?:vacuum|reindex|create\s+(?:unique\s+)?index)\b/i.test(sql);
    if (rewrites && !this.#db.inTransaction && !this.#hasTemporary())
      this.#db.pragma('temp_store = FILE');
    this.#isDue = rewrites || word === 'pragma' || word === 'vacuum';
  }

  /** The error that the caller gets: a full file is no full disk. */
  explained(error: unknown): unknown {
    if (codeOf(error) !== 'SQLITE_FULL') return error;
    const { bavail, bsize } = statfsSync(dirname(this.#db.name));
    return bavail * bsize > LOW_BYTES ? sizeLimit() : error;
  }

  #set(): void {
    const pages = Math.floor(this.#max_bytes / pragmaNumber(this.#db, 'page_size'));
    this.#db.pragma(`max_page_count = ${Math.max(1, Math.min(pages, MOST_PAGES))}`);
    if (pragmaNumber(this.#db, 'temp_store') !== IN_MEMORY) this.#db.pragma('temp_store = MEMORY');
  }

  #hasTemporary(): boolean {
    return this.#db.prepare('select 1 from sqlite_temp_master limit 1').get() !== undefined;
  }

  #hasLongLog(): boolean {
    const log = statSync(`${this.#db.name}-wal`, { throwIfNoEntry: false });
    return (log?.size ?? 0) > this.#max_bytes + LOG_BYTES;
  }
}

const sizeLimit = (): Error => Object.assign(new Error('database is full'), { code: SIZE_LIMIT });
