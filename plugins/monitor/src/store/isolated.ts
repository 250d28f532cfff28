import type { Database } from '@svc/plugin-sdk';
import { readRows, writeRows } from './sql.ts';

/** Time after which a row that its server does not renew has ended, ms. */
const LASTS_MS = 60_000;

/** Server that is cut off. */
export interface Isolated {
  /** Name of its machine. */
  readonly server: string;
  /** Unix ms. */
  readonly since: number;
}

/** Table `monitor_isolated`. Times by which rows end are the database's. Methods throw RpcError 103 when the database fails. */
export class IsolatedStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Says, or says again, that a server is cut off. */
  async put(id: string, { server, since }: Isolated): Promise<void> {
    const { now } = this.#db.forms;
    const text = `insert into monitor_isolated (id, server, since, until) values (?, ?, ?, ${now} + ${LASTS_MS})
      on conflict (id) do update set until = excluded.until returning id`;
    await writeRows(this.#db.query, text, [id, server, since]);
  }

  /** Says that a server is connected, and forgets those that ended without saying so. */
  async remove(id: string): Promise<void> {
    const text = `delete from monitor_isolated where id = ? or until < ${this.#db.forms.now} returning id`;
    await writeRows(this.#db.query, text, [id]);
  }

  all(): Promise<Isolated[]> {
    const columns = 'server, since';
    const sql = `select ${columns} from monitor_isolated where until >= ${this.#db.forms.now} order by since limit 100`;
    return readRows<Isolated>(this.#db, { columns, sql, params: [] });
  }
}
