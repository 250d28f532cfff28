import { type Database, guarded, type SqlValue } from '@svc/plugin-sdk';
import type { BucketAsk, BucketRow, Part, ReportBuckets } from '../api.ts';
import { DYNAMIC, type Kind, SUMMARY } from '../kinds.ts';

const HOUR_MS = 3_600_000;
/** Answers are a few hundred kilobytes; one this long comes from names without number. */
const MOST_BYTES = 8 * 1024 * 1024;

interface PartForm {
  readonly column: string;
  readonly path: string;
  readonly key: string;
}

const PARTS: { readonly [P in Part]: PartForm } = {
  disk: { column: 'disk_data', path: '', key: 'mount_point' },
  interface: { column: 'network_data', path: `-> 'interfaces'`, key: 'interface_name' },
  core: { column: 'cpu_data', path: `-> 'per_core'`, key: 'id' },
};

const KIND: { readonly [kind: string]: Kind } = { summary: SUMMARY, dynamic: DYNAMIC };

/** Aggregates over stored reports. Every statement runs away from the event loop, along an index. */
export function openBuckets(db: Database): ReportBuckets {
  const read = <T>(sql: string, params: readonly SqlValue[], ask: Partial<BucketAsk> = {}) =>
    guarded('reports could not be aggregated', async () => {
      const { signal, share = '' } = ask;
      const options = { maxBytes: MOST_BYTES, share, ...(signal && { signal }) };
      const { text } = await db.jsonArray(sql, params, options);
      return JSON.parse(String(typeof text === 'string' ? text : Buffer.from(text))) as T;
    });
  return {
    async summary(ask, fields) {
      const names = fields.filter((name) => SUMMARY.fields.some((field) => field.name === name));
      const params = [ask.origin ?? ask.from, ask.step, ask.id, ask.from, ask.to, ask.id];
      return rowsOf(await read<unknown[][]>(summarySql(names), params, ask));
    },
    async parts(ask, part, fields) {
      const params = [ask.origin ?? ask.from, ask.step, ask.id, ask.from, ask.to];
      return rowsOf(await read<unknown[][]>(partsSql(db, part, fields), params, ask));
    },
    async count(kind, ids, { from, to, most }) {
      const { table } = KIND[kind] as Kind;
      // Index (uuid_id, timestamp) alone.
      const sql = `select cast(count(*) as text) as json from (select 1 from ${table}
        where uuid_id in (${ids.join()}) and timestamp >= ? and timestamp < ? limit ?) m`;
      const [count = 0] = await read<number[]>(sql, [from, to, most]);
      return count;
    },
    async arrived(kind, from, to) {
      const { table } = KIND[kind] as Kind;
      // Index (storage_time).
      const sql = `select '[' || uuid_id || ',' || hour || ']' as json from (
        select uuid_id, timestamp / ${HOUR_MS} as hour from ${table}
        where storage_time >= ? and storage_time < ? and timestamp >= 0 group by 1, 2) m`;
      const rows = await read<[number, number][]>(sql, [from, to]);
      return rows.map(([id, hour]) => ({ id, hour }));
    },
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

/** `[bucket, name, count, min, max, avg, last, count, …]` */
function rowsOf(rows: readonly unknown[][]): BucketRow[] {
  return rows.map(([at, name, ...values]) => ({
    at: at as number,
    name: String(name ?? ''),
    values: values as (number | null)[],
  }));
}

const BUCKET = '(m.timestamp - cast(? as bigint)) / cast(? as bigint)';
const FOUND = 'm.uuid_id = ? and m.timestamp >= ? and m.timestamp < ?';

const aggregates = (value: string, n: number) =>
  `count(${value}) as c${n}, min(${value}) as a${n}, max(${value}) as z${n}, cast(avg(${value}) as double precision) as s${n}`;
const orNull = (value: string) => `coalesce(cast(${value} as text), 'null')`;
const texts = (n: number, last: string) =>
  [`c${n}`, `a${n}`, `z${n}`, `s${n}`, last].map((value) => ` || ',' || ${orNull(value)}`).join('');

/** The last value of a bucket is that of its newest row, which is looked up once for each bucket. */
function summarySql(fields: readonly string[]): string {
  const { table } = SUMMARY;
  const sums = fields.map((name, n) => aggregates(`m.${name}`, n)).join(', ');
  const values = fields.map((name, n) => texts(n, `l.${name}`)).join('');
  return `with b as (select ${BUCKET} as i, max(m.timestamp) as t, ${sums}
      from ${table} m where ${FOUND} group by 1)
    select '[' || b.i || ',""' ${values} || ']' as json from b cross join ${table} l
      where l.uuid_id = ? and l.timestamp = b.t
      and l.id = (select max(o.id) from ${table} o where o.uuid_id = l.uuid_id and o.timestamp = b.t) order by b.i`;
}

/** The last value is the greatest text of time and value. */
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
  const sums = fields.map((_, n) => `${aggregates(`f${n}`, n)}, max(${time} || f${n}) as l${n}`);
  const values = fields.map((_, n) => texts(n, `substr(l${n}, 21)`)).join('');
  return `with p as (select ${BUCKET} as i, m.timestamp as t, d.value ->> '${key}' as k, ${picked.join(', ')}
      from ${DYNAMIC.table} m, ${each} where ${FOUND} and m.timestamp >= 0),
    b as (select i, cast(k as text) as k, ${sums.join(', ')} from p group by i, k)
    select '[' || i || ',' || ${forms.jsonText('k')} ${values} || ']' as json from b order by i`;
}
