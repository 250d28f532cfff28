import type { MonitorHistory } from '@svc/plugin-monitor/api';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { Range } from '../ranges.ts';
import { type Latency, latencyOf } from './latency.ts';
import { DAY_MS } from './uptime.ts';

const HOUR_MS = 3_600_000;
/** Spans of curves, and the length of a point. */
const SPANS: { readonly [range in Range]: { readonly days: number; readonly step_ms: number } } = {
  '24h': { days: 1, step_ms: HOUR_MS },
  '7d': { days: 7, step_ms: HOUR_MS },
  '30d': { days: 30, step_ms: 2 * HOUR_MS },
  '90d': { days: 90, step_ms: DAY_MS },
};
/** Part of a step that may be missing at the end of a curve. */
const RENEWED = 12;
/** Curves that are kept; the one that was asked for longest ago goes. */
const MOST_KNOWN = 500;

/** Times of the checks of monitors, read again after a twelfth of a step. */
export class MonitorCurves {
  readonly #history: MonitorHistory;
  readonly #known = new BoundedCache<string, { readonly readAt: number; readonly of: Latency }>({
    most: MOST_KNOWN,
  });

  constructor(history: MonitorHistory) {
    this.#history = history;
  }

  /** @returns undefined: nothing was measured @throws RpcError 103 */
  async past(id: number, range: Range, now: number): Promise<Latency | undefined> {
    const { days, step_ms } = SPANS[range];
    const key = `${id} ${range}`;
    const known = this.#known.get(key);
    if (known && Math.abs(now - known.readAt) < step_ms / RENEWED) return known.of;
    const steps = (days * DAY_MS) / step_ms;
    const from = (Math.floor(now / step_ms) - steps + 1) * step_ms;
    const points = await this.#history.times(id, { from, to: now, step: step_ms });
    if (points.every(({ ms_p50 }) => ms_p50 === null)) return undefined;
    const byTime = new Map(points.map((point) => [point.at, point]));
    const buckets = Array.from({ length: steps }, (_, at) => {
      const point = byTime.get(from + at * step_ms);
      if (!point) return undefined;
      const { n, ms_min, ms_p50, ms_p95, ms_max } = point;
      return [at, n, 0, ms_min, ms_p50, ms_p95, null, ms_max] as const;
    });
    // Failures show in the days: a share of checks would be another figure for the same.
    const none = { cells: [], loss: undefined, lately: undefined, silentSince: undefined };
    const of = { ...latencyOf({ from, step_ms, buckets }), ...none };
    this.#known.set(key, { readAt: now, of });
    return of;
  }
}
