import type { HistoryTable } from '@svc/plugin-retention/api';
import type { Database } from '@svc/plugin-sdk';
import { HOUR_MS } from './pack.ts';
import { readRows, SLICE_ROWS, writeRows } from './sql.ts';

const DAY_MS = 24 * HOUR_MS;

/** Outages that are kept of a monitor: one whose job fails and runs in turns has some thousands a day. */
const MOST_OUTAGES = 10_000;

/** Days that results, and hours, outages and changes of verdicts, are kept. */
export interface KeptDays {
  readonly keep_results_days: number;
  readonly keep_hours_days: number;
}

interface Table {
  readonly table: string;
  /** Columns of the primary key behind `monitor_id`; the first is a time. */
  readonly key: string;
  /** Length of its unit, ms. */
  readonly unit: number;
  readonly days: keyof KeptDays;
  /** Tells that the last row before the limit stays, because it still holds. */
  readonly holds?: true;
  /** Column of the time at which a row ended; one that has not ended stays. */
  readonly ended?: string;
  /** Rows of a monitor that are kept whatever their times, the newest; undefined: all. */
  readonly most?: number;
}

const TABLES: readonly Table[] = [
  { table: 'monitor_result', key: 'at, place_id', unit: 1, days: 'keep_results_days' },
  { table: 'monitor_chunk', key: 'hour, place_id', unit: HOUR_MS, days: 'keep_results_days' },
  { table: 'monitor_hour', key: 'hour, place_id', unit: HOUR_MS, days: 'keep_hours_days' },
  { table: 'monitor_change', key: 'at', unit: 1, days: 'keep_hours_days', holds: true },
  {
    ...{ table: 'monitor_outage', key: 'from_at, id', unit: 1, days: 'keep_hours_days' },
    ...{ ended: 'to_at', most: MOST_OUTAGES },
  },
];

/** Returns the tables for `History.keep`; days are kept for ever. `kept` is read in each round. */
export const historyTables = (db: Database, kept: () => KeptDays): HistoryTable[] =>
  TABLES.map((of) => ({
    table: of.table,
    limit_ms: () => kept()[of.days] * DAY_MS,
    removeUpTo: (time, proceed) => removed(db, of, time, async () => proceed()),
    remove: ({ before, proceed }) => removed(db, of, before, proceed),
  }));

/** Deletes what is too old, and what is too much of one monitor. */
const removed = async (
  db: Database,
  of: Table,
  time: number,
  proceed: () => Promise<void>,
): Promise<number> =>
  (await removeBefore(db, of, time, proceed)) + (await removeSurplus(db, of, proceed));

/** Deletes the oldest rows of monitors that have more than are kept of one. */
async function removeSurplus(
  db: Database,
  { table, key, most, ended }: Table,
  proceed: () => Promise<void>,
): Promise<number> {
  if (most === undefined) return 0;
  const many = await readRows<{ id: number; surplus: number }>(db, {
    columns: 'id, surplus',
    sql: `select monitor_id as id, count(*) - ? as surplus from ${table} group by monitor_id having count(*) > ?`,
    ...{ params: [most, most], long: true },
  });
  const text = `delete from ${table} where (monitor_id, ${key}) in (select monitor_id, ${key} from ${table}
    where monitor_id = ? and ${ended} is not null order by ${key} limit ?) returning monitor_id`;
  let gone = 0;
  for (const { id, surplus } of many)
    for (let left = Number(surplus); left > 0; left -= SLICE_ROWS) {
      const rows = await writeRows(db.query, text, [Number(id), Math.min(left, SLICE_ROWS)]);
      gone += rows.length;
      await proceed();
    }
  return gone;
}

/** Deletes what ended before a time, monitor by monitor. @returns how many rows @throws RpcError 103, and what `proceed` throws */
async function removeBefore(
  db: Database,
  of: Table,
  time: number,
  proceed: () => Promise<void>,
): Promise<number> {
  const { table, key, unit, holds, ended } = of;
  const [column] = key.split(', ');
  const end = Math.floor(time / unit);
  const newer = holds
    ? `and ${column} < (select max(${column}) from ${table} where monitor_id = ? and ${column} < ?)`
    : ended
      ? `and ${ended} < ?`
      : '';
  const text = `delete from ${table} where (monitor_id, ${key}) in (select monitor_id, ${key} from ${table}
    where monitor_id = ? and ${column} < ? ${newer} limit ${SLICE_ROWS}) returning monitor_id`;
  let removed = 0;
  for (const id of await monitorsBefore(db, of, end)) {
    for (let gone = SLICE_ROWS; gone === SLICE_ROWS; ) {
      const params = [id, end, ...(holds ? [id, end] : ended ? [end] : [])];
      gone = (await writeRows(db.query, text, params)).length;
      removed += gone;
      await proceed();
    }
  }
  return removed;
}

/** Monitors with rows before a time: one step of the primary key for each. */
async function monitorsBefore(
  db: Database,
  { table, key, holds }: Table,
  end: number,
): Promise<number[]> {
  const [column] = key.split(', ');
  // Of those that hold, the last one before the limit stays.
  const rest = holds ? 'limit 1 offset 1' : 'limit 1';
  const sql = `with recursive found (id) as (select min(monitor_id) from ${table} union all
      select (select min(t.monitor_id) from ${table} t where t.monitor_id > found.id) from found where found.id is not null)
    select id from found where id is not null and exists (select 1 from ${table} t
      where t.monitor_id = found.id and t.${column} < ? ${rest})`;
  const rows = await readRows<{ id: number }>(db, {
    ...{ columns: 'id', sql, params: [end], long: true },
  });
  return rows.map(({ id }) => Number(id));
}
