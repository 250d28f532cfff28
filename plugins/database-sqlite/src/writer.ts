import type { Clock, Logger } from '@svc/plugin-sdk';
import { DatabaseAlarm, isDiskFull } from '@svc/plugin-sdk/driver';
import type { SqlValue, TableSize } from '@svc/plugin-sdk/sql';
import { WRITER } from './ahead.ts';
import { packRows } from './batch.ts';
import type { ConnectionSettings } from './connection.ts';
import type { Room } from './disk-room.ts';
import { Thread, ThreadLost } from './thread.ts';
import type { BatchAnswer, QueryAnswer } from './writer-messages.ts';

/** Long enough to build an index over a large table in a migration. */
const QUERY_TIMEOUT_MS = 600_000;
const HOLD_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;

/** Rows of one table, `width` values each, and the statement that inserts one. */
export interface TableRows {
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
  readonly width: number;
}

/** The only road to the database's one writing connection, which lives in a thread of its own. */
export class Writer {
  readonly #thread: Thread;
  readonly #alarm: DatabaseAlarm;

  constructor(settings: ConnectionSettings & Room, log: Logger, clock: Clock) {
    this.#alarm = new DatabaseAlarm(log, clock);
    this.#thread = new Thread({
      ...WRITER,
      data: settings,
      log,
    });
  }

  /** Changes when the thread was replaced: an open transaction is gone then. */
  get generation(): number {
    return this.#thread.generation;
  }

  query(sql: string, params: readonly unknown[]): Promise<QueryAnswer> {
    return this.#send('query', { sql, params }, QUERY_TIMEOUT_MS);
  }

  /** Stores rows, of several tables, in one transaction. @returns the refused ones */
  batch(tables: readonly TableRows[]): Promise<BatchAnswer> {
    const parts = tables.map(({ sql, rows, width }) => ({ sql, ...packRows(rows, width) }));
    const moved = parts.flatMap(({ kinds, numbers }) => [kinds.buffer, numbers.buffer]);
    return this.#send('batch', { parts }, QUERY_TIMEOUT_MS, moved as ArrayBuffer[]);
  }

  /** Runs `work` while batches wait, so that another process can write. The caller holds the connection of knex. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.#send('hold', {}, HOLD_TIMEOUT_MS);
    try {
      return await this.#alarm.watch(work());
    } catch (error) {
      if (isDiskFull(error)) await this.#send('full', {}, HOLD_TIMEOUT_MS);
      throw error;
    } finally {
      await this.#send('release', {}, HOLD_TIMEOUT_MS);
    }
  }

  /** Bytes of each table; here, because no thread need be started for it. */
  sizes(): Promise<TableSize[]> {
    return this.#send('sizes', {}, HOLD_TIMEOUT_MS);
  }

  /** Gives some free pages back to the system. @returns whether there are more */
  shrink(): Promise<boolean> {
    return this.#send('shrink', {}, QUERY_TIMEOUT_MS);
  }

  /** Ends the thread after everything sent before. */
  async close(): Promise<void> {
    try {
      await this.#send('close', {}, CLOSE_TIMEOUT_MS);
    } finally {
      await this.end();
    }
  }

  /** Ends the thread now. */
  end(): Promise<void> {
    return this.#thread.kill(new ThreadLost('the database is closed'));
  }

  #send<T>(
    kind: string,
    message: object,
    timeout_ms: number,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<T> {
    const late = () => new Error(`the statement was ended after ${timeout_ms} ms`);
    const answer = this.#thread.request<T>({ kind, ...message }, { timeout_ms, late, transfer });
    return this.#alarm.watch(answer);
  }
}
