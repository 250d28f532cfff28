import type { Clock } from '@svc/plugin-sdk';
import type { MonitorHistory, MonitorPast, UpSpan } from './api.ts';
import type { KnownMonitors } from './engine/known.ts';
import { type Bounds, sumOf } from './store/hours.ts';
import type { LatencyStore, Point } from './store/latency.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { OutageStore } from './store/outages.ts';
import { HOUR_MS } from './store/pack.ts';
import type { UptimeStore } from './store/uptime.ts';
import type { VerdictStore } from './store/verdicts.ts';
import { dayBeginnings } from './store/zone-days.ts';
import { UNKNOWN } from './types.ts';
import { stateWord } from './words.ts';

const DAY_MS = 24 * HOUR_MS;
const NONE = { up_s: 0, degraded_s: 0, down_s: 0, unknown_s: 0, paused_s: 0 };

export interface HistoryParts {
  readonly clock: Clock;
  readonly known: KnownMonitors;
  readonly latency: LatencyStore;
  readonly monitors: MonitorStore;
  readonly outages: OutageStore;
  readonly uptime: UptimeStore;
  readonly verdicts: VerdictStore;
}

export const openHistory = (parts: HistoryParts): MonitorHistory => ({
  known: (id) => parts.known.byId(id),
  async find(ids) {
    return new Map((await parts.monitors.byIds(ids)).map((monitor) => [monitor.id, monitor]));
  },
  past: (ids, of) => pastOf(parts, ids, of),
  times: (id, of) => timesOf(parts.latency, id, of),
  newestOutages: (monitors) => parts.outages.newest(monitors),
  outages: (ids) => parts.outages.byIds(ids),
});

async function pastOf(
  { clock, uptime, verdicts }: HistoryParts,
  ids: readonly number[],
  { zone, days }: { readonly zone: string; readonly days: number },
): Promise<ReadonlyMap<number, MonitorPast>> {
  if (ids.length === 0) return new Map();
  const now = clock.now();
  const spans = daysOf(zone, days, now);
  const all = { from: spans[0]?.from ?? now, to: now };
  const [said, found] = await Promise.all([
    verdicts.ofMonitors(ids),
    uptime.inSpans(ids, [all, ...spans]),
  ]);
  const bySaid = new Map(said.map((verdict) => [verdict.monitor_id, verdict]));
  return new Map(
    [...found].map(([id, uptimes]) => {
      const { state, since } = bySaid.get(id) ?? { state: UNKNOWN, since: now };
      const [whole, ...each] = uptimes.map(({ uptime: share, down_s }, at) => ({
        ...{ from: [all, ...spans][at]?.from ?? now, uptime: share, down_s },
      }));
      return [id, { state: stateWord(state), since, all: whole as UpSpan, days: each }];
    }),
  );
}

/** Returns the last days of a zone, today up to now. */
export function daysOf(zone: string, count: number, now: number): Bounds[] {
  if (count === 0) return [];
  // A day may have 25 hours.
  const begins =
    zone === 'UTC'
      ? Array.from({ length: count }, (_, at) => now - (now % DAY_MS) - (count - 1 - at) * DAY_MS)
      : dayBeginnings(zone, now - count * DAY_MS, now + 1).filter((begin) => begin <= now);
  return begins.slice(-count).map((begin, at, some) => ({ from: begin, to: some[at + 1] ?? now }));
}

async function timesOf(
  latency: LatencyStore,
  monitor_id: number,
  { from, to, step }: Bounds & { readonly step: number },
): Promise<Point[]> {
  const { points } = await latency.of({ monitor_id, from, to });
  // Hours are counted some minutes after their end; until then there are results.
  const counted = (points.at(-1)?.at ?? 0) + HOUR_MS;
  const live = Math.max(counted, Math.floor(to / HOUR_MS) * HOUR_MS - HOUR_MS);
  const rest = step < DAY_MS && live < to ? await latency.of({ monitor_id, from: live, to }) : null;
  const steps = Map.groupBy([...points, ...(rest?.points ?? [])], ({ at }) => at - (at % step));
  return [...steps].map(([at, some]) => {
    const all = sumOf(some.map((point) => ({ ...NONE, ...point })));
    const { n, ms_min, ms_p50, ms_p95, ms_max } = all;
    return { at, n, ms_min, ms_p50, ms_p95, ms_max };
  });
}
