import { type Clock, type Methods, optional, RpcError, Type } from '@svc/plugin-sdk';
import { isZone } from '@svc/plugin-sdk/util';
import type { Changes } from '../changes.ts';
import { daysOf } from '../history.ts';
import { MonitorName, OrNull, OutageAnswer, ResultAnswer, Time, UptimeAnswer } from '../schemas.ts';
import type { LatencyStore } from '../store/latency.ts';
import { MOST_PAGE, type ResultKey, type ResultStore } from '../store/results.ts';
import type { Uptime, UptimeStore } from '../store/uptime.ts';
import { on } from './monitors.ts';

const DAY_MS = 86_400_000;
const SPANS_D = [1, 7, 30, 90, 365] as const;
const MOST_OUTAGES = 500;
const MOST_DAYS = 366;

export interface HistoryParts {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly results: ResultStore;
  readonly uptime: UptimeStore;
  readonly latency: LatencyStore;
  /** Name of a place: `server`, or the UUID of an agent. */
  readonly placeName: (place_id: number) => string;
  /** Id of a place of this name. @throws RpcError 106 */
  readonly placeId: (name: string) => number;
}

const from = optional(Time('Unix ms; default: a day before `to`.'));
const to = optional(Time('Unix ms; default: now.'));
const place = optional(
  Type.String({ maxLength: 36, description: '`server`, or the UUID of an agent. Default: all.' }),
);

/** `monitor_results`, `_outages`, `_query_uptime` and `_query_series`. */
export function addHistoryMethods(methods: Methods, parts: HistoryParts): void {
  addResults(methods, parts);
  addOutages(methods, parts);
  addUptime(methods, parts);
  addSeries(methods, parts);
}

interface Given {
  readonly from?: number | null | undefined;
  readonly to?: number | null | undefined;
}

function boundsOf(given: Given, clock: Clock): { readonly from: number; readonly to: number } {
  const end = given.to ?? clock.now();
  const begin = given.from ?? Math.max(0, end - DAY_MS);
  if (begin > end) throw RpcError.invalid('from lies behind to: exchange them');
  return { from: begin, to: end };
}

function addResults(methods: Methods, parts: HistoryParts): void {
  const { changes, clock, placeId, placeName, results } = parts;
  methods.add('monitor_results', {
    summary: 'Results of checks, the newest first.',
    addition: true,
    params: {
      ...{ name: MonitorName, from, to, place },
      limit: optional(
        Type.Integer({ minimum: 1, maximum: MOST_PAGE, description: 'Default: 100.' }),
      ),
      before: optional(
        Type.String({
          maxLength: 40,
          description: '`next` of the page before. Default: the first page.',
        }),
      ),
    },
    result: Type.Object({
      results: Type.Array(ResultAnswer),
      next: OrNull(
        Type.String({
          description:
            'Place of the next page; null: there is none. A page may be short, or empty, and have one.',
        }),
      ),
    }),
    access: on('read'),
    async handle({ name, place: of, limit, before, ...bounds }) {
      const { id } = await changes.monitor(name);
      const page = await results.page({
        ...{ monitor_id: id, ...boundsOf(bounds, clock), limit: limit ?? 100 },
        ...(of ? { place_id: placeId(of) } : {}),
        ...(before ? { before: keyOf(before) } : {}),
      });
      return {
        results: page.results.map(({ at, place_id, ok, ms, code, detail }) => ({
          ...{ at, place: placeName(place_id), ok, ms, code, detail },
        })),
        next: page.next && `${page.next.at}.${page.next.place_id}`,
      };
    },
  });
}

function keyOf(text: string): ResultKey {
  const [at, place_id] = text.split('.').map(Number);
  if (!Number.isSafeInteger(at) || !Number.isSafeInteger(place_id))
    throw RpcError.invalid('before is `next` of an earlier page');
  return { at: at as number, place_id: place_id as number };
}

function addOutages(methods: Methods, { changes, clock, placeName, uptime }: HistoryParts): void {
  methods.add('monitor_outages', {
    summary: 'Outages of a monitor, the newest first.',
    addition: true,
    params: {
      ...{ name: MonitorName, from, to },
      limit: optional(
        Type.Integer({ minimum: 1, maximum: MOST_OUTAGES, description: 'Default: 50.' }),
      ),
    },
    result: Type.Array(OutageAnswer),
    access: on('read'),
    async handle({ name, limit, ...given }) {
      const { id } = await changes.monitor(name);
      const bounds = boundsOf({ ...given, from: given.from ?? 0 }, clock);
      const found = await uptime.outages({ ids: [id], ...bounds, limit: limit ?? 50 });
      return found.map(({ from_at, to_at, cause, places }) => ({
        ...{ from: from_at, to: to_at, cause, places: places.map(placeName) },
      }));
    },
  });
}

function addUptime(methods: Methods, { changes, clock, uptime }: HistoryParts): void {
  methods.add('monitor_query_uptime', {
    summary: 'Uptime of a monitor over 1, 7, 30, 90 and 365 days, and of each of the last days.',
    addition: true,
    params: {
      name: MonitorName,
      days: optional(
        Type.Integer({ minimum: 0, maximum: MOST_DAYS, description: 'Days to list. Default: 0.' }),
      ),
      zone: optional(
        Type.String({ maxLength: 64, description: 'Time zone of these days. Default: UTC.' }),
      ),
    },
    result: Type.Object({
      spans: Type.Array(UptimeAnswer, { description: 'Up to now, the shortest first.' }),
      days: Type.Array(UptimeAnswer, { description: 'In order; the last one is today.' }),
    }),
    access: on('read'),
    async handle({ name, days, zone }) {
      const { id } = await changes.monitor(name);
      if (zone && !isZone(zone))
        throw RpcError.invalid(`'${zone}' is no time zone: write one as Europe/Berlin`);
      const now = clock.now();
      const spans = SPANS_D.map((count) => ({ from: now - count * DAY_MS, to: now }));
      const listed = daysOf(zone ?? 'UTC', days ?? 0, now);
      const all = [...spans, ...listed];
      const found = (await uptime.inSpans([id], all)).get(id) ?? [];
      const answers = found.map((one, at) => uptimeAnswer(one, all[at] as (typeof all)[number]));
      return { spans: answers.slice(0, spans.length), days: answers.slice(spans.length) };
    },
  });
}

const uptimeAnswer = (
  { uptime, coverage, up_s, degraded_s, down_s, unknown_s, paused_s }: Uptime,
  bounds: { readonly from: number; readonly to: number },
) => ({ ...bounds, uptime, coverage, up_s, degraded_s, down_s, unknown_s, paused_s });

function addSeries(methods: Methods, parts: HistoryParts): void {
  const { changes, clock, latency, placeId } = parts;
  const time = OrNull(Type.Number());
  methods.add('monitor_query_series', {
    summary: 'Times of the checks of a monitor, for charts.',
    description: 'Up to 6 hours from results, up to 31 days by the hour, beyond by the day of UTC.',
    addition: true,
    params: { name: MonitorName, from, to, place },
    result: Type.Object({
      step: Type.Integer({ description: 'Length of a point, ms.' }),
      points: Type.Array(
        Type.Object({
          at: Time(),
          n: Type.Integer({ description: 'Checks.' }),
          ...{ ms_min: time, ms_p50: time, ms_p95: time, ms_max: time },
        }),
      ),
    }),
    access: on('read'),
    async handle({ name, place: of, ...given }) {
      const { id } = await changes.monitor(name);
      const { step, points } = await latency.of({
        ...{ monitor_id: id, ...boundsOf(given, clock) },
        ...(of ? { place_id: placeId(of) } : {}),
      });
      return { step, points: points.map((point) => ({ ...point })) };
    },
  });
}
