import type { Methods } from '@svc/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useMachines, useOpenAlerts, usePoll, useServer } from '../../../frame/index.ts';
import { inOrder } from '../../../parts/alert/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor, Ping } from '../model.ts';

const EVERY_MS = 5_000;
/** Time between two reads, and for how long, after something was done. */
const HURRIED_MS = 1_000;
const HURRY_MS = 10_000;
const SLOWLY_MS = 60_000;
const DAY_MS = 86_400_000;
export const DAYS = 90;
const MOST_OUTAGES = 100;
const MOST_PINGS = 20;
/** Results among which the newest of each place is. */
const MOST_RESULTS = 20;

/** A monitor, read more often for a while after `hurry`: something of it is about to change. */
export function useMonitor(name: string) {
  const { call } = useServer();
  const [hurried, setHurried] = useState(0);
  const monitor = usePoll(
    `monitor ${name}`,
    async () => {
      const [found, { results }] = await Promise.all([
        call('monitor_get', { name }),
        call('monitor_results', { name, limit: MOST_RESULTS }),
      ]);
      return withNewest(found, results);
    },
    { every_ms: hurried > 0 ? HURRIED_MS : EVERY_MS },
  );
  useEffect(() => {
    if (hurried === 0) return;
    const timer = setTimeout(() => setHurried(0), HURRY_MS);
    return () => clearTimeout(timer);
  }, [hurried]);
  return { monitor, hurry: () => setHurried((count) => count + 1) };
}

type Results = Methods['monitor_results']['result']['results'];

/** Puts in what places measured last: the server writes it into their states once a minute where nothing else changes. */
const withNewest = (monitor: Monitor, results: Results): Monitor => ({
  ...monitor,
  states: monitor.states.map((state) => {
    const newest = results.find(({ place }) => place === state.place);
    if (!newest || newest.at <= state.last_at) return state;
    return { ...state, last_at: newest.at, ms: newest.ms, code: newest.code };
  }),
});

/** Uptime of the spans and of each of the last days, by the reader's days. */
export function useUptime(name: string) {
  const { call } = useServer();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return usePoll(`uptime ${name}`, () => call('monitor_query_uptime', { name, days: DAYS, zone }), {
    every_ms: SLOWLY_MS,
  });
}

/** Outages, read again when the state has changed. */
export function useOutages(name: string, since: number) {
  const { call } = useServer();
  return usePoll(
    `outages ${name} ${since}`,
    () => call('monitor_outages', { name, limit: MOST_OUTAGES }),
    { every_ms: SLOWLY_MS },
  );
}

export const RANGES = {
  '6h': DAY_MS / 4,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;
export type Range = keyof typeof RANGES;

/** Time that a chart of a new monitor shows at least. */
const LEAST_MS = 900_000;

interface TimesOptions {
  readonly name: string;
  readonly range: Range;
  /** Unix ms at which the monitor was made: before, there is nothing to show. */
  readonly made_at: number;
}

/** Times of the checks in a range, or in the part of it that was zoomed to. */
export function useTimes({ name, range, made_at }: TimesOptions) {
  const { call } = useServer();
  const [zooms, setZooms] = useState<readonly (readonly [number, number])[]>([]);
  const zoom = zooms.at(-1);
  const spanUntil = (end: number): readonly [number, number] => [
    Math.max(end - RANGES[range], Math.min(made_at, end - LEAST_MS)),
    end,
  ];
  const series = usePoll(
    `times ${name} ${range} ${zoom?.join(' ') ?? ''}`,
    () => {
      const [from, to] = zoom ?? spanUntil(Date.now());
      return call('monitor_query_series', { name, from, to });
    },
    { every_ms: SLOWLY_MS },
  );
  const end = series.at ?? Date.now();
  const [from, to] = zoom ?? spanUntil(end);
  return {
    series,
    times: {
      from,
      to,
      onZoom: (a: number, b: number) =>
        setZooms([...zooms, [Math.floor(a), Math.ceil(b)] as const]),
      onBack: () => setZooms(zooms.slice(0, -1)),
    },
    forget: () => setZooms([]),
  };
}

/** The last calls of a heartbeat; undefined: they are not for this token, or the server does not tell. */
export function usePings(name: string) {
  const server = useServer();
  const mayRead = server.may('monitor_pings', { name }) === true;
  return usePoll<readonly Ping[] | undefined>(
    `pings ${name} ${mayRead}`,
    async () => (mayRead ? server.call('monitor_pings', { name, limit: MOST_PINGS }) : undefined),
    { every_ms: EVERY_MS },
  );
}

/** Tells whether a place has to be named: what nobody chose is checked by the server. */
export const isElsewhere = (place: string): boolean => place !== 'server';

/** Name of a place as people know it. */
export function usePlaceName(): (place: string) => string {
  const { nameOf } = useMachines();
  return (place) => (place === 'server' ? t.monitors.places.server : nameOf(place));
}

/** Open alerts of a monitor, the worst first. */
export function useAlertsOf(name: string) {
  const { list = [] } = useOpenAlerts();
  return useMemo(
    () => inOrder(list.filter(({ subject }) => subject.kind === 'monitor' && subject.id === name)),
    [list, name],
  );
}
