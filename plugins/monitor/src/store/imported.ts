import type { Database } from '@svc/plugin-sdk';
import { readRows, writeRows } from './sql.ts';

/** Thing that an import made. */
export interface Imported {
  /** Installation that it came from, and its id there. */
  readonly source: string;
  readonly item: string;
  readonly type: 'channel' | 'monitor' | 'rule' | 'window';
  /** Id of what was made, or the name where things have no id. */
  readonly thing: string;
  /** Digest of what was made: it differs when somebody has changed it since. */
  readonly mark: string;
  /** Tells that it was switched off where it came from. */
  readonly off: boolean;
}

const COLUMNS = 'source, item, type, thing, mark, off';
const MOST_ROWS = 20_000;

/** Table `monitor_import`. Methods throw RpcError 103 when the database fails. */
export class ImportedStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async of(source: string): Promise<Imported[]> {
    const sql = `select ${COLUMNS} from monitor_import where source = ? order by item limit ${MOST_ROWS}`;
    const rows = await readRows<Omit<Imported, 'off'> & { off: number }>(this.#db, {
      ...{ columns: COLUMNS, sql, params: [source] },
    });
    return rows.map((row) => ({ ...row, off: Number(row.off) === 1 }));
  }

  async put({ source, item, type, thing, mark, off }: Imported): Promise<void> {
    const text = `insert into monitor_import (${COLUMNS}) values (?, ?, ?, ?, ?, ?)
      on conflict (source, item) do update set type = excluded.type, thing = excluded.thing,
      mark = excluded.mark, off = excluded.off returning item`;
    await writeRows(this.#db.query, text, [source, item, type, thing, mark, Number(off)]);
  }

  async remove(source: string, item: string): Promise<void> {
    const text = 'delete from monitor_import where source = ? and item = ? returning item';
    await writeRows(this.#db.query, text, [source, item]);
  }

  /** Tells whether there is room for so many more. */
  async hasRoom(count: number): Promise<boolean> {
    const sql = 'select count(*) as count from monitor_import';
    const [row] = await readRows<{ count: number }>(this.#db, {
      columns: 'count',
      sql,
      params: [],
    });
    return Number(row?.count ?? 0) + count <= MOST_ROWS;
  }
}
