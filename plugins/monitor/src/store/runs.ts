import type { Database } from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import { among, readRows, writeRows } from './sql.ts';

/** Runs of a monitor that are watched at a time; beyond, the oldest go. */
export const MOST_RUNS = 100;
/** Id of the run that was begun without one: there is one of it at a time. */
export const NO_RID = '';

/** Row of `monitor_run`. */
export interface StoredRun {
  readonly rid: string;
  /** Unix ms. */
  readonly started_at: number;
}

/** Table `monitor_run`, for reading. Methods throw RpcError 103 when the database fails. */
export class RunStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs of these monitors that have not ended, by monitor. */
  async ofMonitors(ids: readonly number[]): Promise<ReadonlyMap<number, readonly StoredRun[]>> {
    const columns = 'monitor_id, rid, started_at';
    const sql = `select ${columns} from monitor_run where ${among(this.#db, 'monitor_id')}
      order by monitor_id, started_at`;
    const rows = await readRows<StoredRun & { readonly monitor_id: number }>(this.#db, {
      ...{ columns, sql, params: [JSON.stringify(ids)] },
    });
    return Map.groupBy(rows, ({ monitor_id }) => monitor_id);
  }
}

/** Runs of a monitor within a transaction. */
export async function runsOf(trx: QueryBuilder, monitor_id: number): Promise<StoredRun[]> {
  const text =
    'select rid, started_at from monitor_run where monitor_id = ? order by started_at, rid';
  const rows = await writeRows<StoredRun>(trx, text, [monitor_id]);
  return rows.map(({ rid, started_at }) => ({ rid, started_at: Number(started_at) }));
}

/** Begins a run. One with an id that runs already goes on; the one without an id begins anew, since nothing says that it is the same. */
export async function beginRun(
  trx: QueryBuilder,
  monitor_id: number,
  { rid, started_at }: StoredRun,
): Promise<void> {
  const text = `insert into monitor_run (monitor_id, rid, started_at) values (?, ?, ?)
    on conflict (monitor_id, rid) do update set started_at = case when monitor_run.rid = '${NO_RID}'
      then excluded.started_at else monitor_run.started_at end returning rid`;
  await writeRows(trx, text, [monitor_id, rid, started_at]);
  const surplus = `delete from monitor_run where monitor_id = ? and rid in (select rid from monitor_run
    where monitor_id = ? order by started_at desc, rid limit ${MOST_RUNS} offset ${MOST_RUNS}) returning rid`;
  await writeRows(trx, surplus, [monitor_id, monitor_id]);
}

/** Ends a run. @returns when it began; undefined: it is not known */
export async function endRun(
  trx: QueryBuilder,
  monitor_id: number,
  rid: string,
): Promise<number | undefined> {
  const text = 'delete from monitor_run where monitor_id = ? and rid = ? returning started_at';
  const [row] = await writeRows<StoredRun>(trx, text, [monitor_id, rid]);
  return row && Number(row.started_at);
}

/** Forgets every run of a monitor. */
export async function endRuns(trx: QueryBuilder, monitor_id: number): Promise<void> {
  await writeRows(trx, 'delete from monitor_run where monitor_id = ? returning rid', [monitor_id]);
}
