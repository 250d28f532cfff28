import type { Database } from '@svc/plugin-sdk';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import { type Span, VERDICT_PLACE, type VerdictState } from '../types.ts';
import { type Change, sumOf } from './hours.ts';
import { member, writeRows } from './sql.ts';

export const SPAN =
  'up_s, degraded_s, down_s, unknown_s, paused_s, n, ms_min, ms_p50, ms_p95, ms_max';
const NAMES = SPAN.split(', ') as (keyof Span)[];
const DAY_HOURS = 24;
/** Hours back in which one that was not counted, or whose verdicts changed since, is counted. */
export const COUNTED_HOURS = 72;

/** Row of `monitor_hour`. */
export interface HourRow extends Span {
  readonly place_id: number;
}

const valuesOf = (span: Span): (number | null)[] => NAMES.map((name) => span[name]);

const sets = NAMES.map((name) => `${name} = excluded.${name}`).join(', ');
const members = (first: number): string =>
  NAMES.map((name, at) => member(first + at, name === 'n' ? 'integer' : 'double precision')).join();

/** Writes an hour of a monitor, and the UTC day that it lies in, within a transaction. */
export async function writeHour(
  trx: QueryBuilder,
  { forms }: Database,
  { monitor_id, hour }: { readonly monitor_id: number; readonly hour: number },
  rows: readonly HourRow[],
): Promise<void> {
  const text = `insert into monitor_hour (monitor_id, hour, place_id, ${SPAN}) select ${member(0, 'bigint')},
      ${member(1, 'integer')}, ${member(2, 'integer')}, ${members(3)} from ${forms.elements} as v where true
    on conflict (monitor_id, hour, place_id) do update set ${sets} returning hour`;
  const values = rows.map((row) => [monitor_id, hour, row.place_id, ...valuesOf(row)]);
  await writeRows(trx, text, [JSON.stringify(values)]);
  const day = Math.floor(hour / DAY_HOURS);
  const hours = await writeRows<Span>(
    trx,
    `select ${SPAN} from monitor_hour where monitor_id = ? and hour >= ? and hour < ? and place_id = ${VERDICT_PLACE}`,
    [monitor_id, day * DAY_HOURS, (day + 1) * DAY_HOURS],
  );
  const insert = `insert into monitor_day (monitor_id, day, ${SPAN}) select ${member(0, 'bigint')}, ${member(1, 'integer')},
      ${members(2)} from ${forms.elements} as v where true
    on conflict (monitor_id, day) do update set ${sets} returning day`;
  await writeRows(trx, insert, [JSON.stringify([[monitor_id, day, ...valuesOf(sumOf(hours))]])]);
}

/** Reads, within a transaction, the change that holds at `from` and those before `to`; on Postgres, none is made meanwhile. */
export async function changesOf(
  trx: QueryBuilder,
  { dialect }: Database,
  monitor_id: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Change[]> {
  if (dialect === 'postgres') {
    const lock = 'select version from monitor_verdict where monitor_id = ? for update';
    await writeRows(trx, lock, [monitor_id]);
  }
  const text = `select at, state from monitor_change where monitor_id = ? and at < ? and at >=
      coalesce((select max(at) from monitor_change where monitor_id = ? and at <= ?), 0) order by at`;
  const rows = await writeRows<{ at: number; state: VerdictState }>(trx, text, [
    ...[monitor_id, to, monitor_id, from],
  ]);
  return rows.map(({ at, state }) => ({ at: Number(at), state }));
}
