import type { SqlValue } from '@svc/plugin-sdk/sql';
import { VERDICT_PLACE } from '../types.ts';
import type { Bounds, Seconds } from './hours.ts';
import { Live, type LiveParts } from './live.ts';
import { HOUR_MS } from './pack.ts';
import { member, readRows, slices } from './sql.ts';

const DAY_MS = 24 * HOUR_MS;
/** Sums of one read, so that others have the main thread in between. */
const MOST_SUMS = 2_500;
const NAMES = ['up_s', 'degraded_s', 'down_s', 'unknown_s', 'paused_s'] as const;
/** Share of the time that has to be known for an uptime to be told. */
const LEAST_COVERAGE = 0.5;

export interface Uptime extends Seconds {
  /** Percent with two decimals, never rounded up; null: too little is known. */
  readonly uptime: number | null;
  /** Share of the time since the monitor was made that is known: up, degraded or down. */
  readonly coverage: number;
}

/** Row of `monitor_outage`. */
export interface Outage {
  readonly id: number;
  readonly monitor_id: number;
  readonly from_at: number;
  readonly to_at: number | null;
  readonly cause: string;
  readonly places: readonly number[];
  readonly public: boolean;
}

type OutageRow = Omit<Outage, 'places' | 'public'> & {
  readonly places: string;
  readonly public: number;
};

export interface OutageAsk extends Bounds {
  readonly ids: readonly number[];
  readonly limit: number;
  readonly isPublic?: boolean;
  /** Outages behind this one only. */
  readonly before?: Pick<Outage, 'from_at' | 'id'>;
}

/** Hours, or days, of a span: from the first one until before the end, each counted in part. */
type Range = [span: number, first: number, end: number, share: number];

const OUTAGE = 'id, monitor_id, from_at, to_at, cause, places, public';

/** Uptime from `monitor_day`, `monitor_hour` and, for hours that are not counted yet, from results. */
export class UptimeStore {
  readonly #parts: LiveParts;
  readonly #live: Live;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#live = new Live(parts);
  }

  /** Uptime of monitors in a span that ends by now; those that have gone are left out. @throws RpcError 103 */
  async of(ids: readonly number[], span: Bounds): Promise<ReadonlyMap<number, Uptime>> {
    const found = await this.inSpans(ids, [span]);
    return new Map([...found].map(([id, [uptime]]) => [id, uptime as Uptime]));
  }

  /**
   * Uptime of monitors in each of these spans, as the days of a page. An hour that begins before a span or ends after it, as
   * where a zone is half an hour off, counts with the share that lies inside. @throws RpcError 103
   */
  async inSpans(
    ids: readonly number[],
    spans: readonly Bounds[],
  ): Promise<ReadonlyMap<number, readonly Uptime[]>> {
    const now = this.#parts.clock.now();
    const bounds = spans.map(({ from, to }) => ({ from, to: Math.min(to, now) }));
    const [monitors, sums, live] = await Promise.all([
      this.#live.monitors(ids),
      this.#sums(ids, bounds),
      this.#live.of(ids),
    ]);
    const found = new Map<number, Uptime[]>();
    for (const { id, created_at } of monitors) {
      const uptimes = bounds.map((span, at) => {
        const parts = [...(sums.get(`${id} ${at}`) ?? []), ...(live.get(id)?.(span) ?? [])];
        return uptimeOf(parts, span.to - Math.max(span.from, created_at));
      });
      found.set(id, uptimes);
    }
    return found;
  }

  /** Outages that lie in a span with a part at least, the newest first. Indexes (monitor_id, from_at) and (from_at). */
  async outages({ ids, from, to, limit, isPublic, before }: OutageAsk): Promise<Outage[]> {
    const params: SqlValue[] = [JSON.stringify(ids), to, from];
    let more = isPublic ? 'and o.public = 1' : '';
    if (before) {
      more += ' and (o.from_at, o.id) < (?, ?)';
      params.push(before.from_at, before.id);
    }
    const columns = OUTAGE.replace(/\w+/g, 'o.$&');
    const sql = `select ${columns} from ${this.#parts.db.forms.elementTexts} as v join monitor_outage o
      on o.monitor_id = cast(v.value as bigint) and o.from_at < ? and (o.to_at is null or o.to_at > ?) ${more}
      order by o.from_at desc, o.id desc limit ?`;
    const rows = await readRows<OutageRow>(this.#parts.db, {
      ...{ columns: OUTAGE, sql, params: [...params, limit] },
    });
    return rows.map((row) => ({
      ...row,
      places: JSON.parse(row.places) as number[],
      public: Number(row.public) === 1,
    }));
  }

  /** Counts outages that lie in a span with a part at least, by monitor. */
  async outageCounts(
    ids: readonly number[],
    { from, to }: Bounds,
  ): Promise<ReadonlyMap<number, number>> {
    const sql = `select o.monitor_id, count(*) as n from ${this.#parts.db.forms.elementTexts} as v join monitor_outage o
      on o.monitor_id = cast(v.value as bigint) and o.from_at < ? and (o.to_at is null or o.to_at > ?) group by o.monitor_id`;
    const rows = await readRows<{ monitor_id: number; n: number }>(this.#parts.db, {
      ...{ columns: 'monitor_id, n', sql, params: [JSON.stringify(ids), to, from] },
    });
    return new Map(rows.map(({ monitor_id, n }) => [monitor_id, n]));
  }

  /** Sums of hours that are counted, by monitor and span; whole UTC days come from their own rows. Primary keys. */
  async #sums(ids: readonly number[], spans: readonly Bounds[]): Promise<Map<string, Seconds[]>> {
    const { days, hours } = rangesOf(spans);
    const { elements, elementTexts } = this.#parts.db.forms;
    // The sums of a range are one text: nothing has to be sorted into groups.
    const sums = NAMES.map((name) => `sum(t.${name})`).join(` || ' ' || `);
    const rows = (table: string, unit: string, verdict = '') =>
      `select cast(i.value as bigint) as monitor_id, ${member(0, 'integer')} as span,
        ${member(3, 'double precision')} as share, (select ${sums} from ${table} t
          where t.monitor_id = cast(i.value as bigint) and t.${unit} >= ${member(1, 'integer')}
            and t.${unit} < ${member(2, 'integer')} ${verdict}) as sums
        from ${elementTexts} as i cross join ${elements} as v`;
    const sql = `select monitor_id, span, share, sums from (${rows('monitor_day', 'day')} union all
      ${rows('monitor_hour', 'hour', `and t.place_id = ${VERDICT_PLACE}`)}) s where sums is not null`;
    const parts = new Map<string, Seconds[]>();
    const size = Math.ceil(MOST_SUMS / (days.length + hours.length + 1));
    for (const some of slices(ids, size)) {
      const wanted = JSON.stringify(some);
      const params = [wanted, JSON.stringify(days), wanted, JSON.stringify(hours)];
      const columns = 'monitor_id, span, share, sums';
      const found = await readRows<SumRow>(this.#parts.db, { columns, sql, params, long: true });
      for (const row of found) {
        const key = `${row.monitor_id} ${row.span}`;
        const list = parts.get(key);
        if (list) list.push(secondsOfSum(row));
        else parts.set(key, [secondsOfSum(row)]);
      }
    }
    return parts;
  }
}

function secondsOfSum({ sums, share }: SumRow): Seconds {
  const values = sums.split(' ').map((sum) => Number(sum) * share);
  const [up_s = 0, degraded_s = 0, down_s = 0, unknown_s = 0, paused_s = 0] = values;
  return { up_s, degraded_s, down_s, unknown_s, paused_s };
}

interface SumRow {
  readonly monitor_id: number;
  readonly span: number;
  readonly share: number;
  /** Sums of the names, in their order. */
  readonly sums: string;
}

/** Returns the UTC days that lie whole in each span, and the hours of the rest. */
function rangesOf(spans: readonly Bounds[]): { days: Range[]; hours: Range[] } {
  const days: Range[] = [];
  const hours: Range[] = [];
  const addHours = (span: number, from: number, to: number) => {
    const [first, end] = [Math.ceil(from / HOUR_MS), Math.floor(to / HOUR_MS)];
    if (first > end) hours.push([span, end, first, (to - from) / HOUR_MS]);
    else {
      if (first * HOUR_MS > from) hours.push([span, first - 1, first, first - from / HOUR_MS]);
      if (end > first) hours.push([span, first, end, 1]);
      if (end * HOUR_MS < to) hours.push([span, end, end + 1, to / HOUR_MS - end]);
    }
  };
  for (const [span, { from, to }] of spans.entries()) {
    if (to <= from) continue;
    const [first, end] = [Math.ceil(from / DAY_MS), Math.floor(to / DAY_MS)];
    if (first < end) {
      days.push([span, first, end, 1]);
      addHours(span, from, first * DAY_MS);
      addHours(span, end * DAY_MS, to);
    } else addHours(span, from, to);
  }
  return { days, hours };
}

/** Returns the uptime of parts of a span; `length` is the time in which it could be known, ms. */
export function uptimeOf(parts: readonly Seconds[], length: number): Uptime {
  const sum = (name: keyof Seconds) => parts.reduce((all, part) => all + part[name], 0);
  const [up_s, degraded_s, down_s, unknown_s, paused_s] = NAMES.map(sum) as [
    ...[number, number, number, number, number],
  ];
  const good = up_s + degraded_s;
  const known = good + down_s;
  // What was imported may be older than the monitor.
  const all = Math.max(length / 1_000, known + unknown_s + paused_s);
  const coverage = all > 0 ? known / all : 0;
  const uptime = coverage < LEAST_COVERAGE || known === 0 ? null : percentOf(good, down_s);
  return { up_s, degraded_s, down_s, unknown_s, paused_s, uptime, coverage };
}

/** Returns a percentage with two decimals that is never too high. */
function percentOf(good: number, down: number): number {
  if (down <= 0) return 100;
  // Sums of parts of seconds are off by less than this.
  const hundredths = Math.floor((good / (good + down)) * 10_000 + 1e-7);
  return Math.min(hundredths, 9_999) / 100;
}
