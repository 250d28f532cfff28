import { rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/driver';
import type Sqlite from 'better-sqlite3';
import { pragmaNumber } from './pragma.ts';
import { reserveOf } from './reserve.ts';

/** Below this the disk counts as full, before it really is: a transaction that deletes needs room to be written down. */
export const LOW_BYTES = 8 * 2 ** 20;
/** Above this the log is not looked at: it cannot take so much at once. */
const AMPLE_BYTES = 2 ** 30;
/** Bytes of one page in the log. */
const FRAME_BYTES = 4_096 + 24;
/** Pages of the log that are folded into the file at once: what a reserve of 64 MB has room for. */
const CHECKPOINT_PAGES = 16_000;
/** Pages of the log before a checkpoint on a full disk, where it stays small; this much of its file stays for deletes. */
const LOW_CHECKPOINT_PAGES = 200;
const LOW_LOG_BYTES = 4 * 2 ** 20;
const BUSY_MS = 5_000;

/** Statements that add rows. Deletes and changes of rows go on with what the reserve leaves. */
const adding = /^\s*(?:insert|replace|with\b[\s\S]*\binsert\s)/i;
export const addsRows = (sql: string): boolean => adding.test(sql);

export interface Room {
  readonly file: string;
  /** Size of the reserve; 0: there is none. */
  readonly reserve_bytes: number;
}

/** Fewer checkpoints, so fewer syncs under load; but the log never outgrows the reserve, which has to take it up on a full disk. */
export function limitLog(db: Sqlite.Database, reserve_bytes = 0): void {
  const most = reserve_bytes === 0 ? CHECKPOINT_PAGES : Math.floor(reserve_bytes / FRAME_BYTES);
  const pages = Math.min(CHECKPOINT_PAGES, most);
  db.pragma(`wal_autocheckpoint = ${pages}`);
  // A reader that held the log open lets it shrink again.
  db.pragma(`journal_size_limit = ${pages * FRAME_BYTES}`);
}

/** Frees the reserve when there is hardly any room on the disk: before the file is opened, too, which takes some. */
export function freeReserveIfLow({ file }: Room): void {
  if (freeBytes(file) < LOW_BYTES) rmSync(reserveOf(file), { force: true });
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Watches the room on the disk for the writing connection. Rows are added as long as the rest has room for the log to be
 * folded into the file and for deletes; the reserve counts for the log. On a full disk the reserve is freed, and rows are
 * only added where deletes have left room inside the file.
 */
export class DiskRoom {
  readonly #db: Sqlite.Database;
  readonly #room: Room;
  #isLow = false;

  constructor(db: Sqlite.Database, room: Room) {
    this.#db = db;
    this.#room = room;
  }

  /** Checks the disk before a write. `adds`: about so many bytes. @throws SQLITE_FULL when it adds rows and the disk is full */
  check(adds: number): void {
    const { file, reserve_bytes } = this.#room;
    const free = freeBytes(file);
    if (this.#isLow) {
      if (free - sizeOf(`${file}-wal`) >= reserve_bytes + 2 * LOW_BYTES) this.#set(false);
      else if (sizeOf(`${file}-wal`) > LOW_BYTES) this.#fold();
    } else if (free < AMPLE_BYTES && this.#isTight(adds)) this.setLow();
    if (adds === 0 || !this.#isLow || this.#hasRoomInside()) return;
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  }

  /** A write has failed because the disk is full, or is about to. */
  setLow(): void {
    rmSync(reserveOf(this.#room.file), { force: true });
    this.#set(true);
    this.#fold();
  }

  #set(isLow: boolean): void {
    this.#isLow = isLow;
    if (isLow) {
      this.#db.pragma(`wal_autocheckpoint = ${LOW_CHECKPOINT_PAGES}`);
      this.#db.pragma(`journal_size_limit = ${LOW_LOG_BYTES}`);
    } else limitLog(this.#db, this.#room.reserve_bytes);
  }

  #isTight(adds: number): boolean {
    const { file } = this.#room;
    const reserve = sizeOf(reserveOf(file));
    const isLittle = (log: number) =>
      freeBytes(file) < LOW_BYTES + adds + Math.max(0, log - reserve);
    // The log's file may be much longer than what it holds.
    return isLittle(sizeOf(`${file}-wal`)) && isLittle(this.#fold());
  }

  /** Folds the log into the file, as far as readers let it, without waiting for them. @returns bytes that are left in it */
  #fold(): number {
    const whole = sizeOf(`${this.#room.file}-wal`);
    if (this.#db.inTransaction) return whole;
    this.#db.pragma('busy_timeout = 0');
    try {
      const [row] = this.#db.pragma('wal_checkpoint(RESTART)') as Folded[];
      return row === undefined ? whole : (row.log - row.checkpointed) * FRAME_BYTES;
    } catch (error) {
      if (!/^SQLITE_(?:FULL|BUSY|LOCKED|IOERR)/.test(codeOf(error))) throw error;
      return whole;
    } finally {
      this.#db.pragma(`busy_timeout = ${BUSY_MS}`);
    }
  }

  /** Free pages that deletes have left in the file, which take new rows; half of the reserve stays for the log. */
  #hasRoomInside(): boolean {
    const { file, reserve_bytes } = this.#room;
    if (reserve_bytes === 0 || freeBytes(file) < reserve_bytes / 2) return false;
    const pages = pragmaNumber(this.#db, 'freelist_count');
    return pages * pragmaNumber(this.#db, 'page_size') >= LOW_BYTES;
  }
}

/** Pages in the log, and those of them that are in the file, too. */
interface Folded {
  readonly log: number;
  readonly checkpointed: number;
}
