import type { Database } from '@svc/plugin-sdk';
import { guarded, type Integer, marks, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { ArrivalTable, Slice } from './api.ts';

/** Rows of one deleting statement: reports wait no longer than these take. */
const BATCH_ROWS = 100;
/** Time before every other. */
const EVER = Number.MIN_SAFE_INTEGER;

/** Every SQL statement of this plugin. Failures of the database are 103 with a neutral text. */
export class Store {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Tells whether history began under the default limits; if not, an earlier version made its tables. */
  isNew(): Promise<boolean> {
    return guarded('the origin could not be read', async () => {
      const sql = `select value from retention where name = 'origin'`;
      return (await this.#db.first<{ value: string }>(sql))?.value === 'new';
    });
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
}
