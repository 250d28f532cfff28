import type { Database } from '@svc/plugin-sdk';
import { guarded } from '@svc/plugin-sdk/sql';
import type { CounterRow } from '../api.ts';
import { SUMMARY } from '../kinds.ts';
import { countedSql } from './newest.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** Agents of one statement. */
const AGENTS = 500;

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

const arrived = `from ${SUMMARY.table} m where m.storage_time >= ? and m.storage_time < ?
  and m.total_received >= 0 and m.total_transmitted >= 0`;
const COUNTED = `${countedSql('m.timestamp')} as counted`;
const asJsonText = (name: string) => `coalesce(cast(${name} as text), 'null')`;

/** The reports of these agents between two of which counters did something else than to grow as usual, those before them, the first and the last. */
const stepsSql = (ids: readonly number[]): string => `with found as (
    select m.uuid_id, m.id, m.storage_time, ${COUNTED}, ${VALUES.map((name) => `m.${name}`).join(', ')}
    ${arrived} and m.uuid_id in (${ids.join()})),
  steps as (select f.*, ${before} from found f window w as (partition by uuid_id order by storage_time, id)),
  judged as (select s.*, case when ${IS_USUAL} then 1 else 0 end as follows from steps s),
  seen as (select j.*, lead(follows) over (partition by uuid_id order by storage_time, id) as next_follows from judged j)
  select concat('[', uuid_id, ',', counted, ',', storage_time, ',', ${VALUES.map(asJsonText).join(`, ',', `)}, ',', follows, ']') as json
  from seen where follows = 0 or coalesce(next_follows, 0) = 0 order by uuid_id, storage_time, id`;

/** A tenth more than the measured speeds say is no interface that came back, nor are 4 MiB. */
const grewAsMeasured = (total: string, speed: string) =>
  `1.0 * max(${total}) - min(${total}) <= 1.1 * avg(cast(${speed} as double precision))
    * (max(counted) - min(counted)) / 1000 + 4194304 and min(${speed}) >= 0`;

/** Condition for nothing but growth, as far as the ends of all values show it. Checking each step costs five times as much. */
const IS_QUIET = `${VALUES.map((name) => `count(${name}) = count(*)`).join(' and ')}
  and 1.0 * max(boot_time) - min(boot_time) <= 60
  and ${grewAsMeasured('total_received', 'receive_speed')}
  and ${grewAsMeasured('total_transmitted', 'transmit_speed')}`;

/** Index (storage_time). The least and the greatest value of each member, by agent. */
const ENDS_SQL = `select concat('[', uuid_id, ',', case when ${IS_QUIET} then 1 else 0 end, ',',
    ${['counted', 'storage_time', ...VALUES].map((name) => `${asJsonText(`min(${name})`)}, ',', ${asJsonText(`max(${name})`)}`).join(`, ',', `)}, ']') as json
  from (select m.uuid_id, m.storage_time, ${COUNTED}, ${VALUES.map((name) => `m.${name}`).join(', ')} ${arrived}) f group by uuid_id`;

type JsonRow = [number, number, number, ...(number | null)[]];
type Row = CounterRow & { readonly id: number };

/** See `ReportBuckets.counters`. */
export async function readCounters(
  db: Database,
  span: readonly [from: number, to: number],
  signal: AbortSignal,
): Promise<Row[]> {
  const read = async <T>(sql: string): Promise<T[]> => {
    const options = { maxBytes: MOST_BYTES, share: 'traffic', signal };
    const { text } = await guarded('counters could not be read', () =>
      db.jsonArray(sql, span, options),
    );
    return JSON.parse(Buffer.from(text as string).toString());
  };
  const rows: Row[] = [];
  const odd: number[] = [];
  for (const [id, isQuiet, ...ends] of await read<[number, number, ...number[]]>(ENDS_SQL)) {
    if (isQuiet === 1) rows.push(...endsOf(id, ends));
    else odd.push(id);
  }
  for (let at = 0; at < odd.length; at += AGENTS) {
    for (const row of await read<JsonRow>(stepsSql(odd.slice(at, at + AGENTS))))
      rows.push(rowOf(row));
  }
  return rows;
}

const rowOf = ([
  id,
  time,
  arrived,
  boot,
  uptime,
  received,
  sent,
  rx,
  tx,
  follows,
]: JsonRow): Row => ({
  id,
  time,
  arrived,
  boot_time: boot ?? null,
  uptime: uptime ?? null,
  received: received ?? 0,
  transmitted: sent ?? 0,
  receive_speed: rx ?? null,
  transmit_speed: tx ?? null,
  follows: follows === 1,
});

/** The first and the last report of a quiet run, whose values are the least and the greatest; of speeds both have the greatest. */
function endsOf(id: number, ends: readonly number[]): Row[] {
  const first = ends.filter((_, n) => n % 2 === 0 && n < 12);
  const last = ends.filter((_, n) => n % 2 === 1);
  const speeds = last.slice(6);
  return [
    rowOf([id, ...first, ...speeds, 0] as unknown as JsonRow),
    rowOf([id, ...last, 1] as unknown as JsonRow),
  ];
}
