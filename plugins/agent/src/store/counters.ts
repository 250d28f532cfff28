import { type Database, guarded } from '@svc/plugin-sdk';
import type { CounterRow } from '../api.ts';
import { SUMMARY } from '../kinds.ts';
import { countedSql } from './newest.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The growth of a counter that no interface explains: see `usualGrowth` of plugin `series`. Integers would overflow with what odd agents send. */
const usual = (total: string, speed: string) =>
  `1.0 * ${total} - p_${total} between 0 and (4.0 * ${speed} + 4.0 * p_${speed}) * (counted - p_counted) / 1000 + 1048576`;

/** Steps between two reports that are nothing but growth. Null where a value is missing, which is none of them. */
const IS_USUAL = `abs(1.0 * boot_time - p_boot_time) <= 60 and counted - p_counted between 0 and 30000
  and ${usual('total_received', 'receive_speed')} and ${usual('total_transmitted', 'transmit_speed')}`;

const VALUES = [
  'boot_time',
  'uptime',
  'total_received',
  'total_transmitted',
  'receive_speed',
  'transmit_speed',
];
const before = ['counted', ...VALUES].map((name) => `lag(${name}) over w as p_${name}`).join(', ');

/** Index (storage_time). A machine's usual reports between two that are told are left out: their growth adds up. */
const SQL = `with found as (select m.uuid_id, m.id, m.storage_time, ${countedSql('m.timestamp')} as counted, ${VALUES.map((name) => `m.${name}`).join(', ')}
    from ${SUMMARY.table} m where m.storage_time >= ? and m.storage_time < ?
    and m.total_received >= 0 and m.total_transmitted >= 0),
  steps as (select f.*, ${before} from found f window w as (partition by uuid_id order by storage_time, id)),
  judged as (select s.*, case when ${IS_USUAL} then 1 else 0 end as follows from steps s),
  seen as (select j.*, lead(follows) over (partition by uuid_id order by storage_time, id) as next_follows from judged j)
  select concat('[', uuid_id, ',', counted, ',', storage_time, ',', ${VALUES.map((name) => `coalesce(cast(${name} as text), 'null')`).join(`, ',', `)}, ',', follows, ']') as json
  from seen where follows = 0 or coalesce(next_follows, 0) = 0 order by uuid_id, storage_time, id`;

type Told = [number, number, number, ...(number | null)[]];

/** See `ReportBuckets.counters`. */
export async function readCounters(
  db: Database,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<(CounterRow & { readonly id: number })[]> {
  const options = { maxBytes: MOST_BYTES, share: 'traffic', signal };
  const { text } = await guarded('counters could not be read', () =>
    db.jsonArray(SQL, [from, to], options),
  );
  const rows: Told[] = JSON.parse(Buffer.from(text as string).toString());
  return rows.map(
    ([id, time, arrived, boot_time, uptime, received, transmitted, rx, tx, follows]) => ({
      id,
      time,
      arrived,
      boot_time: boot_time ?? null,
      uptime: uptime ?? null,
      received: received ?? 0,
      transmitted: transmitted ?? 0,
      receive_speed: rx ?? null,
      transmit_speed: tx ?? null,
      follows: follows === 1,
    }),
  );
}
