import type { Database } from '@svc/plugin-sdk';
import { VERDICT_PLACE } from '../types.ts';
import { type Bounds, type Seconds, sumOf, type Times, timesOf } from './hours.ts';
import { HOUR_MS } from './pack.ts';
import { MOST_PAGE, type ResultKey, type ResultStore } from './results.ts';
import { readRows } from './sql.ts';

const DAY_MS = 24 * HOUR_MS;
/** Longest spans that are made of results, and of hours; a longer one is made of days. */
const RESULTS_MS = 6 * HOUR_MS;
const HOURS_MS = 31 * DAY_MS;
/** Points that results are gathered in at most. */
const MOST_POINTS = 180;
const MINUTE_MS = 60_000;
/** Pages of results that are read for one chart. */
const MOST_PAGES = 40;
const NONE: Seconds = { up_s: 0, degraded_s: 0, down_s: 0, unknown_s: 0, paused_s: 0 };
const TIMES = 'n, ms_min, ms_p50, ms_p95, ms_max';

/** Point of a chart: the checks from `at` on for `step` ms. */
export interface Point extends Times {
  readonly at: number;
  readonly n: number;
}

export interface Series {
  readonly step: number;
  /** Points in the order of time; where nothing was checked there is none. */
  readonly points: readonly Point[];
}

export interface LatencyAsk extends Bounds {
  readonly monitor_id: number;
  /** Absent: all places together. */
  readonly place_id?: number;
}

/** Times of checks for charts: from results up to 6 hours, from hours up to 31 days, else from days. */
export class LatencyStore {
  readonly #db: Database;
  readonly #results: ResultStore;

  constructor(db: Database, results: ResultStore) {
    this.#db = db;
    this.#results = results;
  }

  /** @throws RpcError 103 */
  of(ask: LatencyAsk): Promise<Series> {
    const length = ask.to - ask.from;
    if (length <= RESULTS_MS) return this.#ofResults(ask);
    if (length <= HOURS_MS) return this.#ofHours(ask);
    return ask.place_id === undefined ? this.#ofDays(ask) : this.#ofPlace(ask);
  }

  async #ofResults(ask: LatencyAsk): Promise<Series> {
    const step = Math.max(1, Math.ceil((ask.to - ask.from) / MOST_POINTS / MINUTE_MS)) * MINUTE_MS;
    const buckets = new Map<number, { n: number; times: number[] }>();
    let before: ResultKey | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await this.#results.page({
        ...ask,
        limit: MOST_PAGE,
        ...(before && { before }),
      });
      for (const { at, ms } of page.results) {
        const begin = at - (at % step);
        const bucket = buckets.get(begin) ?? { n: 0, times: [] };
        bucket.n++;
        if (ms !== null) bucket.times.push(ms);
        buckets.set(begin, bucket);
      }
      if (!page.next) break;
      before = page.next;
    }
    const sorted = [...buckets].sort(([a], [b]) => a - b);
    return { step, points: sorted.map(([at, { n, times }]) => ({ at, n, ...timesOf(times) })) };
  }

  #ofHours({ monitor_id, place_id = VERDICT_PLACE, from, to }: LatencyAsk): Promise<Series> {
    const sql = `select hour as unit, ${TIMES} from monitor_hour
      where monitor_id = ? and hour >= ? and hour < ? and place_id = ? and n > 0 order by hour`;
    const params = [Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS), place_id];
    return this.#stored(HOUR_MS, sql, [monitor_id, ...params]);
  }

  #ofDays({ monitor_id, from, to }: LatencyAsk): Promise<Series> {
    const sql = `select day as unit, ${TIMES} from monitor_day
      where monitor_id = ? and day >= ? and day < ? and n > 0 order by day`;
    const params = [monitor_id, Math.floor(from / DAY_MS), Math.ceil(to / DAY_MS)];
    return this.#stored(DAY_MS, sql, params);
  }

  /** Days of one place, which are not stored: its hours together. */
  async #ofPlace(ask: LatencyAsk): Promise<Series> {
    const { points } = await this.#ofHours(ask);
    const days = Map.groupBy(points, ({ at }) => at - (at % DAY_MS));
    return {
      step: DAY_MS,
      points: [...days].map(([at, hours]) => {
        const { n, ms_min, ms_p50, ms_p95, ms_max } = sumOf(
          hours.map((hour) => ({ ...NONE, ...hour })),
        );
        return { at, n, ms_min, ms_p50, ms_p95, ms_max };
      }),
    };
  }

  async #stored(step: number, sql: string, params: readonly number[]): Promise<Series> {
    const columns = `unit, ${TIMES}`;
    const rows = await readRows<Point & { unit: number }>(this.#db, { columns, sql, params });
    return { step, points: rows.map(({ unit, ...times }) => ({ ...times, at: unit * step })) };
  }
}
