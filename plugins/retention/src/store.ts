import {
  type Database,
  guarded,
  type Integer,
  marks,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk';
import type { ArrivalTable, Slice } from './api.ts';

/** Rows of one deleting statement: reports wait no longer than these take. */
const BATCH_ROWS = 100;
/** Before every time. */
const EVER = Number.MIN_SAFE_INTEGER;
/** A turn that is not renewed for so long is over: its server is gone, ms. */
const TURN_MS = 600_000;

/** Every SQL statement of this plugin. Failures of the database are 103 with a neutral text. */
export class Store {
  readonly #db: Database;
  /** Tells the servers of one database apart. */
  readonly #holder: string;

  constructor(db: Database, holder: string) {
    this.#db = db;
    this.#holder = holder;
  }

  /** True when history began under the default limits; false: an earlier version made its tables. */
  isNew(): Promise<boolean> {
    return guarded('the origin could not be read', async () => {
      const sql = `select value from retention where name = 'origin'`;
      return (await this.#db.first<{ value: string }>(sql))?.value === 'new';
    });
  }

  /** Takes the turn, or keeps it for another ten minutes. @returns false while it is another server's */
  takeTurn(): Promise<boolean> {
    const { forms, severalServers } = this.#db;
    const free = severalServers ? `and (value = ? or until < ${forms.now})` : '';
    const sql = `update retention set value = ?, until = ${forms.now} + ${TURN_MS}
      where name = 'turn' ${free} returning name`;
    return this.#update(sql, severalServers ? [this.#holder, this.#holder] : [this.#holder]);
  }

  /** Lets another server have the next turn. */
  endTurn(): Promise<boolean> {
    const sql = `update retention set until = 0 where name = 'turn' and value = ? returning name`;
    return this.#update(sql, [this.#holder]);
  }

  /** See `HistoryTable.remove`. */
  async remove(of: ArrivalTable, { from, before, except, proceed }: Slice): Promise<number> {
    const { table, arrival, over, agent } = of;
    const agents =
      agent && except.length > 0 ? `and ${agent} not in (${marks(except.length)})` : '';
    const sql = `delete from ${table} where id in (select id from ${table}
      where ${arrival} >= ? and ${arrival} < ? ${over ? `and ${over}` : ''} ${agents}
      order by ${arrival} asc nulls first limit ${BATCH_ROWS}) returning ${arrival} as at`;
    const others: SqlValue[] = agents ? except.map((uuid) => this.#db.forms.uuid(uuid)) : [];
    let deleted = 0;
    for (let since = from ?? EVER; ; ) {
      const gone = await guarded('delete failed', () =>
        rowsOf<{ at: Integer }>(this.#db.query, { text: sql, params: [since, before, ...others] }),
      );
      deleted += gone.length;
      await proceed();
      if (gone.length < BATCH_ROWS) return deleted;
      // What stays in between is not walked again.
      since = Math.max(...gone.map(({ at }) => Number(at)));
    }
  }

  #update(text: string, params: readonly SqlValue[]): Promise<boolean> {
    return guarded('the turn could not be changed', async () => {
      return (await rowsOf(this.#db.query, { text, params })).length > 0;
    });
  }
}
