import type { Database } from '@svc/plugin-sdk';
import type { MonitorOutage } from '../api.ts';
import { readRows } from './sql.ts';

const COLUMNS = 'id, monitor_id, from_at, to_at';

/** Table `monitor_outage`, for those who follow outages. */
export class OutageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The newest outage of each of these monitors. Index (monitor_id, from_at). @throws RpcError 103 */
  newest(monitors: readonly number[]): Promise<MonitorOutage[]> {
    return this.#read(
      `o.monitor_id = cast(v.value as bigint) and o.from_at = (select max(n.from_at)
        from monitor_outage n where n.monitor_id = cast(v.value as bigint))`,
      monitors,
    );
  }

  /** @throws RpcError 103 */
  byIds(ids: readonly number[]): Promise<MonitorOutage[]> {
    return this.#read('o.id = cast(v.value as bigint)', ids);
  }

  async #read(on: string, ids: readonly number[]): Promise<MonitorOutage[]> {
    if (ids.length === 0) return [];
    const sql = `select ${COLUMNS.replace(/\w+/g, 'o.$&')} from ${this.#db.forms.elementTexts} as v
      join monitor_outage o on ${on}`;
    return readRows<MonitorOutage>(this.#db, {
      ...{ columns: COLUMNS, sql, params: [JSON.stringify(ids)] },
    });
  }
}
