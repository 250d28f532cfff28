import { setImmediate } from 'node:timers/promises';
import type { Database } from '@svc/plugin-sdk';
import { guarded, type SqlValue } from '@svc/plugin-sdk/sql';
import type { BucketAsk, BucketRow, Part, ReportBuckets } from '../api.ts';
import { DYNAMIC, type Kind, SUMMARY } from '../kinds.ts';
import { readCounters } from './counters.ts';

const HOUR_MS = 3_600_000;
/** Most bytes of an answer: usual ones are a few hundred kilobytes, and one this long comes from countless names. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Bytes of an answer that are parsed at once: half a millisecond. */
const SLICE_BYTES = 64 * 1024;
const LINE_FEED = 10;

interface PartForm {
  readonly column: string;
  readonly path: string;
  readonly key: string;
}

const PARTS: { readonly [P in Part]: PartForm } = {
  disk: { column: 'disk_data', path: '', key: 'mount_point' },
  interface: { column: 'network_data', path: `-> 'interfaces'`, key: 'interface_name' },
  core: { column: 'cpu_data', path: `-> 'per_core'`, key: 'id' },
  gpu: { column: 'gpu_data', path: '', key: 'id' },
};

/** Columns of times, which can be aggregated as fields can. */
const TIMES: readonly string[] = ['timestamp', 'storage_time'];

const KIND: { readonly [kind: string]: Kind } = { summary: SUMMARY, dynamic: DYNAMIC };

/** Aggregates over stored reports. Every statement runs away from the event loop, along an index. */
export function openBuckets(db: Database): Omit<ReportBuckets, 'whenErased'> {
  const read = (sql: string, params: readonly SqlValue[], ask: Partial<BucketAsk> = {}) =>
    guarded('reports could not be aggregated', async () => {
      const { signal, share = '' } = ask;
      const options = { maxBytes: MOST_BYTES, share, ...(signal && { signal }) };
      const { text } = await db.jsonArray(sql, params, options);
      return typeof text === 'string'
        ? Buffer.from(text)
        : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    });
  const readAll = async <T>(sql: string, params: readonly SqlValue[]): Promise<T> =>
    JSON.parse((await read(sql, params)).toString());
  return {
    async *summary(ask, fields) {
      const names = fields.filter(
        (name) => TIMES.includes(name) || SUMMARY.fields.some((field) => field.name === name),
      );
      const [sql, params] = db.dialect === 'sqlite' ? ranges(names, ask) : groups(names, ask);
      yield* rowsOf(await read(sql, params, ask));
    },
    async *parts(ask, part, fields) {
      const params = [ask.origin ?? ask.from, ask.step, ask.id, ask.from, ask.to];
      yield* rowsOf(await read(partsSql(db, part, fields), params, ask));
    },
    async count(kind, ids, { from, to, most }) {
      const { table } = KIND[kind] as Kind;
      // Index (uuid_id, timestamp) alone.
      const sql = `select cast(count(*) as text) as json from (select 1 from ${table}
        where uuid_id in (${ids.join()}) and timestamp >= ? and timestamp < ? limit ?) m`;
      const [count = 0] = await readAll<number[]>(sql, [from, to, most]);
      return count;
    },
    async arrived(kind, from, to) {
      const { table } = KIND[kind] as Kind;
      // Index (storage_time).
      const sql = `select '[' || uuid_id || ',' || hour || ']' as json from (
        select uuid_id, timestamp / ${HOUR_MS} as hour from ${table}
        where storage_time >= ? and storage_time < ? and timestamp >= 0 group by 1, 2) m`;
      const rows = await readAll<[number, number][]>(sql, [from, to]);
      return rows.map(([id, hour]) => ({ id, hour }));
    },
    counters: (from, to, signal) => readCounters(db, [from, to], signal),
    async firstArrival(kind, since) {
      const { table } = KIND[kind] as Kind;
      const sql = `select min(storage_time) as first from ${table} where storage_time >= ?`;
      const row = await guarded('reports could not be read', () =>
        db.first<{ first: number | null }>(sql, [since]),
      );
      return row?.first ?? undefined;
    },
  };
}

/** Parses rows in slices that leave the event loop to others: each begins with a line feed, which stands nowhere else in the JSON. */
async function* rowsOf(array: Buffer): AsyncGenerator<BucketRow[]> {
  const end = array.length - 1;
  for (let at = 1; at < end; ) {
    const next = array.indexOf(LINE_FEED, at + SLICE_BYTES);
    const sliceEnd = next < 0 ? end : next - 1;
    const rows: [number, string | number | null, ...(number | null)[]][] = JSON.parse(
      `[${array.toString('utf8', at, sliceEnd)}]`,
    );
    yield rows.map(([at, name, ...values]) => ({ at, name: String(name ?? ''), values }));
    await setImmediate();
    at = sliceEnd + 1;
  }
}

const BUCKET = '(m.timestamp - cast(? as bigint)) / cast(? as bigint)';
const FOUND = 'm.uuid_id = ? and m.timestamp >= ? and m.timestamp < ?';

const AGGREGATES = ['count', 'min', 'max', 'avg'] as const;
const orNull = (value: string) => `coalesce(cast(${value} as text), 'null')`;
const list = (values: readonly string[]) =>
  values.map((value) => ` || ',' || ${orNull(value)}`).join('');
type Statement = readonly [sql: string, params: readonly SqlValue[]];

/**
 * Summaries on SQLite, which would sort what it groups, with all values: each bucket is a range of the index (uuid_id, timestamp).
 * With it its newest row is looked up for the last values.
 */
function ranges(fields: readonly string[], ask: BucketAsk): Statement {
  const { id, from, to, step, origin = from } = ask;
  const found = (m: string) =>
    `from ${SUMMARY.table} ${m} where ${m}.uuid_id = ? and ${m}.timestamp >= b.since and ${m}.timestamp < b.until`;
  const values = fields.flatMap((field) => AGGREGATES.map((name) => `${name}(m.${field})`));
  const last = fields.map((field) => `l.${field}`);
  const sql = `with recursive b(i, since, until) as (
      select cast(? as integer), cast(? as bigint), cast(? as bigint)
      union all select i + 1, until, min(until + ?, ?) from b where until < ?),
    r as materialized (select b.i,
      (select '\n[' || b.i || ',""' ${list(values)} ${found('m')} having count(*) > 0)
      || (select '' ${list(last)} || ']' ${found('l')} order by l.timestamp desc, l.id desc limit 1) as json from b)
    select json from r where json is not null order by i`;
  const first = Math.floor((from - origin) / step);
  const end = Math.min(to, origin + (first + 1) * step);
  return [sql, [first, from, end, step, to, to, id, id]];
}

/**
 * Summaries on Postgres, which groups without sorting; for each of many ranges it may take the index of the time, where all agents'
 * reports are. An average of integers would be computed as `numeric`, at twice the cost of the whole.
 */
function groups(fields: readonly string[], ask: BucketAsk): Statement {
  const { id, from, to, step, origin = from } = ask;
  const value = (name: string, field: string) =>
    name === 'avg' ? `avg(cast(m.${field} as double precision))` : `${name}(m.${field})`;
  const sums = fields.flatMap((field, n) =>
    AGGREGATES.map((name) => `${value(name, field)} as ${name}${n}`),
  );
  const values = fields.flatMap((_, n) => AGGREGATES.map((name) => `b.${name}${n}`));
  const last = fields.map((field) => `l.${field}`);
  const sql = `with b as (select ${BUCKET} as i, max(m.timestamp) as t, ${sums.join(', ')}
      from ${SUMMARY.table} m where ${FOUND} group by 1)
    select '\n[' || b.i || ',""' ${list([...values, ...last])} || ']' as json from b cross join lateral (
      select ${fields.join(', ')} from ${SUMMARY.table} where uuid_id = ? and timestamp = b.t order by id desc limit 1) l
    order by b.i`;
  return [sql, [origin, step, id, from, to, id]];
}

/** Statement for one part of full reports; the last value is the greatest text of time and value. */
function partsSql({ dialect, forms }: Database, part: Part, fields: readonly string[]): string {
  const { column, path, key } = PARTS[part];
  const each =
    dialect === 'sqlite'
      ? `json_each(m.${column} ${path}) d`
      : `jsonb_array_elements(m.${column} ${path}) d(value)`;
  const time =
    dialect === 'sqlite' ? `printf('%020d', t)` : `lpad(cast(t as text), 20, '0') collate "C"`;
  const picked = fields.map(
    (name, n) => `cast(d.value ->> '${name}' as double precision) as f${n}`,
  );
  const sums = fields.flatMap((_, n) => [
    ...AGGREGATES.map((name) => `${name}(f${n}) as ${name}${n}`),
    `max(${time} || f${n}) as last${n}`,
  ]);
  const values = fields.flatMap((_, n) => AGGREGATES.map((name) => `${name}${n}`));
  const last = fields.map((_, n) => `substr(last${n}, 21)`);
  return `with p as (select ${BUCKET} as i, m.timestamp as t, d.value ->> '${key}' as k, ${picked.join(', ')}
      from ${DYNAMIC.table} m, ${each} where ${FOUND} and m.timestamp >= 0),
    b as (select i, cast(k as text) as k, ${sums.join(', ')} from p group by i, k)
    select '\n[' || i || ',' || ${forms.jsonText('k')} ${list([...values, ...last])} || ']' as json from b order by i`;
}
