import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Kernel } from '@svc/plugin-sdk';
import { guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

const RENEW_MS = 60_000;

/** Place of a turn: one row with a text column for its holder and a bigint column `until`. */
export interface TurnPlace {
  readonly table: string;
  /** Column of the holder. */
  readonly holder: string;
  /** SQL condition of the row. */
  readonly row: string;
  /** A turn that is not renewed for so long is over: its server is gone, ms. */
  readonly lasts_ms: number;
}

/** The turn of one of the servers of a database to do a job. Times are those of the database. */
export class Turn {
  readonly #db: Database;
  readonly #place: TurnPlace;
  /** Tells the servers of one database apart. */
  readonly #holder = randomUUID();

  /** Value of the holder's column while this server has the turn, for statements that must be its own. */
  get holder(): string {
    return this.#holder;
  }

  constructor(db: Database, place: TurnPlace) {
    this.#db = db;
    this.#place = place;
  }

  /** Takes the turn, or keeps it for another `lasts_ms`. @returns false while it is another server's @throws RpcError 103 */
  take(): Promise<boolean> {
    const { forms, severalServers } = this.#db;
    const { table, holder, row, lasts_ms } = this.#place;
    const free = severalServers ? `and (${holder} = ? or until < ${forms.now})` : '';
    const sql = `update ${table} set ${holder} = ?, until = ${forms.now} + ${lasts_ms}
      where ${row} ${free} returning until`;
    return this.#update(sql, severalServers ? [this.#holder, this.#holder] : [this.#holder]);
  }

  /** Lets another server have the next turn. @throws RpcError 103 */
  async end(): Promise<void> {
    const { table, holder, row } = this.#place;
    const sql = `update ${table} set until = 0 where ${row} and ${holder} = ? returning until`;
    await this.#update(sql, [this.#holder]);
  }

  /**
   * Does long work while it is this server's turn, and nothing otherwise. `proceed` is to be awaited between two statements: it
   * pauses for as long as the last one took, at most `pause_ms`, so that others find the database free, and keeps the
   * turn. It throws when the server stops or the turn is gone.
   */
  async hold(
    { clock, signal }: Pick<Kernel, 'clock' | 'signal'>,
    pause_ms: number,
    work: (proceed: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    if (!(await this.take())) return;
    let renewed = clock.monotonic();
    let since = performance.now();
    const proceed = async () => {
      await delay(Math.min(performance.now() - since, pause_ms), undefined, { signal });
      if (clock.monotonic() - renewed > RENEW_MS) {
        if (!(await this.take())) throw new Error('the turn went to another server');
        renewed = clock.monotonic();
      }
      since = performance.now();
    };
    try {
      await work(proceed);
    } finally {
      await this.end();
    }
  }

  #update(text: string, params: readonly SqlValue[]): Promise<boolean> {
    return guarded('the turn could not be changed', async () => {
      return (await rowsOf(this.#db.query, { text, params })).length > 0;
    });
  }
}
