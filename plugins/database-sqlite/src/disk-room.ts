import { rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { pragmaNumber } from './pragma.ts';
import { reserveOf } from './reserve.ts';

/** Below this the disk counts as full, before it really is: a transaction that deletes needs room to be written down. */
export const LOW_BYTES = 8 * 2 ** 20;
/** Pages of the log that are folded into the file at once; fewer on a full disk, so that the log stays small. */
export const CHECKPOINT_PAGES = 16_000;
const LOW_CHECKPOINT_PAGES = 200;

/** What adds rows. Deletes and changes of rows go on with what the reserve leaves. */
const adding = /^\s*(?:insert|replace|with\b[\s\S]*\binsert\s)/i;
export const addsRows = (sql: string): boolean => adding.test(sql);

export interface Room {
  readonly file: string;
  /** Size of the reserve; 0: there is none. */
  readonly reserve_bytes: number;
}

/** Frees the reserve when there is hardly any room on the disk: before the file is opened, too, which takes some. */
export function freeReserveIfLow({ file }: Room): void {
  if (freeBytes(file) < LOW_BYTES) rmSync(reserveOf(file), { force: true });
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

/**
 * Watches the room on the disk for the writing connection. On a full disk the reserve is freed, and rows are only added
 * while that leaves enough for deletes.
 */
export class DiskRoom {
  readonly #db: Sqlite.Database;
  readonly #room: Room;
  #isLow = false;

  constructor(db: Sqlite.Database, room: Room) {
    this.#db = db;
    this.#room = room;
  }

  /** Called before a write. @throws SQLITE_FULL when it adds rows and the disk is full */
  look(adds: boolean): void {
    const { file, reserve_bytes } = this.#room;
    const free = freeBytes(file);
    if (!this.#isLow && free < LOW_BYTES) this.setLow();
    else if (this.#isLow && free >= reserve_bytes + 2 * LOW_BYTES) this.#set(false);
    if (!adds || !this.#isLow || this.#hasRoomInside(free)) return;
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  }

  /** A write has failed because the disk is full, or is about to. */
  setLow(): void {
    rmSync(reserveOf(this.#room.file), { force: true });
    this.#set(true);
  }

  #set(isLow: boolean): void {
    this.#isLow = isLow;
    this.#db.pragma(`wal_autocheckpoint = ${isLow ? LOW_CHECKPOINT_PAGES : CHECKPOINT_PAGES}`);
  }

  /** What was deleted leaves free pages in the file, which take new rows; half of the reserve stays for the log. */
  #hasRoomInside(free: number): boolean {
    const { reserve_bytes } = this.#room;
    if (reserve_bytes === 0 || free < reserve_bytes / 2) return false;
    const pages = pragmaNumber(this.#db, 'freelist_count');
    return pages * pragmaNumber(this.#db, 'page_size') >= LOW_BYTES;
  }
}
