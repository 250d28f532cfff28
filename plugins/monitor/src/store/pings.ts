import type { Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder } from '@svc/plugin-sdk/sql';
import { readRows, writeRows } from './sql.ts';

/** Pings of a monitor that are kept. */
export const MOST_PINGS = 50;
const COLUMNS = 'id, monitor_id, at, kind, exit_status, rid, method, address, agent, ms';

/** Row of `monitor_ping`, without its body. */
export interface Ping {
  readonly id: number;
  readonly monitor_id: number;
  readonly at: number;
  readonly kind: string;
  readonly exit_status: number | null;
  /** Run that it belongs to. */
  readonly rid: string | null;
  readonly method: string;
  readonly address: string;
  readonly agent: string;
  /** Time that the run took, ms. */
  readonly ms: number | null;
}

/** Table `monitor_ping`: the last calls of each heartbeat. Methods throw RpcError 103 when the database fails. */
export class PingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds a ping; the oldest ones beyond `MOST_PINGS` of its monitor go in the same transaction. @returns its id */
  add(ping: Omit<Ping, 'id'>, body: Uint8Array): Promise<number> {
    return guarded('the ping could not be stored', () =>
      this.#db.transaction((trx) => addPing(trx, ping, body)),
    );
  }

  /** Pings of a monitor, the newest first. */
  list(monitor_id: number): Promise<Ping[]> {
    const sql = `select ${COLUMNS} from monitor_ping where monitor_id = ? order by id desc limit ${MOST_PINGS}`;
    return readRows<Ping>(this.#db, { columns: COLUMNS, sql, params: [monitor_id] });
  }

  /** So many pings of a monitor with their bodies, the newest first. */
  withBodies(monitor_id: number, limit: number): Promise<(Ping & { readonly body: Uint8Array })[]> {
    const sql = `select ${COLUMNS}, body from monitor_ping where monitor_id = ? order by id desc limit ?`;
    return guarded('the pings could not be read', async () => {
      const rows = await this.#db.all<Ping & { body: Uint8Array }>(sql, [monitor_id, limit]);
      return rows.map(({ id, at, ...row }) => ({ ...row, id: Number(id), at: Number(at) }));
    });
  }

  /** Returns the body of a ping; undefined: it has gone. */
  body(monitor_id: number, id: number): Promise<Uint8Array | undefined> {
    const sql = 'select body from monitor_ping where monitor_id = ? and id = ?';
    return guarded('the ping could not be read', async () => {
      return (await this.#db.first<{ body: Uint8Array }>(sql, [monitor_id, id]))?.body;
    });
  }
}

/** Adds a ping as `PingStore.add` does, in the transaction of what it changes. @returns its id @throws RpcError 103 */
export async function addPing(
  trx: QueryBuilder,
  ping: Omit<Ping, 'id'>,
  body: Uint8Array,
): Promise<number> {
  const { monitor_id, at, kind, exit_status, rid, method, address, agent, ms } = ping;
  const values = [monitor_id, at, kind, exit_status, rid, method, address, agent, ms, body];
  const insert = `insert into monitor_ping (${COLUMNS.slice(4)}, body)
    values (${values.map(() => '?').join(', ')}) returning id`;
  const surplus = `delete from monitor_ping where monitor_id = ? and id <= (select id from monitor_ping
    where monitor_id = ? order by id desc limit 1 offset ${MOST_PINGS}) returning id`;
  const [row] = await writeRows<{ id: number }>(trx, insert, values);
  await writeRows(trx, surplus, [monitor_id, monitor_id]);
  return Number(row?.id);
}
