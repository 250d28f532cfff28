import { type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type SqlValue } from '@svc/plugin-sdk/sql';

export const PROBES = ['ping', 'tcp_ping', 'http_ping'] as const;

/** Probes that one call reads at most. */
export const MOST_PROBES = 200_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Ended probes of one type and agent, cut into buckets of `step` ms from `from` on; `to` is after the range. */
export interface ProbeAsk {
  readonly type: (typeof PROBES)[number];
  /** Lower-case hyphenated. */
  readonly uuid: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** Target of the task; undefined: any. */
  readonly target: string | undefined;
  /** Name of the job; undefined: any task. */
  readonly cronSource: string | undefined;
  readonly signal: AbortSignal;
  /** The caller for whom it reads. */
  readonly share: string;
}

/** Number of the bucket, probes, lost ones, then least latency, its percentiles and the greatest, ms; null: all were lost. */
export type ProbeBucket = readonly [
  at: number,
  count: number,
  lost: number,
  min: number | null,
  p50: number | null,
  p95: number | null,
  p99: number | null,
  max: number | null,
];

export type ReadProbes = (ask: ProbeAsk) => Promise<readonly ProbeBucket[]>;

/** Away from the event loop; index (uuid, timestamp). @throws RpcError 103, 108 beyond 200,000 probes */
export function openProbes(db: Database): ReadProbes {
  return async (ask) => {
    const { type, uuid, from, to, step, target, cronSource, signal, share } = ask;
    const parts: [string, SqlValue][] = [
      ['t.uuid = ?', db.forms.uuid(uuid)],
      ['t.timestamp >= ?', from],
      ['t.timestamp < ?', to],
      // An expression: of the index (type_name, timestamp) it would read the probes of all agents.
      [`t.type_name || '' = ?`, type],
    ];
    if (target !== undefined) parts.push([`t.task_event_type ->> '${type}' = ?`, target]);
    if (cronSource !== undefined) parts.push(['t.cron_source = ?', cronSource]);
    const where = `${parts.map(([text]) => text).join(' and ')} and t.success is not null`;
    const params = parts.map(([, value]) => value);
    const read = async (sql: string, values: SqlValue[]) => {
      const options = { maxBytes: MOST_BYTES, signal, share };
      const { text } = await guarded('probes could not be read', () =>
        db.jsonArray(sql, values, options),
      );
      return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString());
    };
    const counting = `select cast(count(*) as text) as json from (select 1 from task t where ${where} limit ?) m`;
    const [count] = await read(counting, [...params, MOST_PROBES + 1]);
    if (count > MOST_PROBES) throw await tooMany();
    return read(seriesSql(type, where), [from, step, ...params]);

    async function tooMany(): Promise<RpcError> {
      const nth = `select cast(t.timestamp as text) as json from task t where ${where}
        order by t.timestamp asc nulls first, t.id asc limit 1 offset ?`;
      const [end] = await read(nth, [...params, MOST_PROBES]);
      return RpcError.invalid(
        `the range holds more than ${MOST_PROBES} probes of agent ${uuid}; the nearest allowed one ends with to = ${end}`,
      );
    }
  };
}

/** A percentile is the least value that so many per cent of the answered probes do not exceed. */
function seriesSql(type: string, where: string): string {
  const percentile = (p: number) => `max(case when n = (c * ${p} + 99) / 100 then v end) as p${p}`;
  const value = (name: string) => `coalesce(cast(a.${name} as text), 'null')`;
  const values = ['least', 'p50', 'p95', 'p99', 'most'].map((name) => ` || ',' || ${value(name)}`);
  return `with r as (select (t.timestamp - cast(? as bigint)) / cast(? as bigint) as i, t.success as success,
      cast(t.task_event_result ->> '${type}' as double precision) as v from task t where ${where}),
    o as (select i, v, row_number() over (partition by i order by v) as n, count(*) over (partition by i) as c
      from r where success and v is not null),
    a as (select i, min(v) as least, max(v) as most, ${[50, 95, 99].map(percentile).join(', ')} from o group by i),
    b as (select i, count(*) as sent, count(case when success then null else 1 end) as lost from r group by i)
    select '[' || b.i || ',' || b.sent || ',' || b.lost ${values.join('')} || ']' as json
    from b left join a on a.i = b.i order by b.i`;
}
