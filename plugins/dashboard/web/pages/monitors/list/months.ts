import { useEffect, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { attempt, useNow } from '../../../parts/index.ts';
import type { Line } from './filters.ts';

/** Pause, ms, after the last scrolling before the server is asked. */
const SOON_MS = 200;
/** Time for which an answer is new enough, ms. */
const FRESH_MS = 60_000;
/** Monitors of one call. */
const MOST = 200;

interface Month {
  readonly uptime: number | null;
  readonly round: number;
}

/** Uptime of 30 days by the id of the monitor, of rows that were in the window. */
export function useMonths(shown: readonly Line[]): ReadonlyMap<number, Month> {
  const { call } = useServer();
  const [months, setMonths] = useState<ReadonlyMap<number, Month>>(new Map());
  const round = Math.floor(useNow(FRESH_MS) / FRESH_MS);
  const ids = shown
    .flatMap((line) => ('row' in line ? [line.row.id] : []))
    .filter((id) => months.get(id)?.round !== round)
    .slice(0, MOST);
  const key = ids.join(' ');
  const ask = async () => {
    const found = await call('monitor_overview', { ids });
    const of = new Map(found.map(({ id, uptime_30d }) => [id, uptime_30d]));
    const fresh = ids.map((id) => [id, { uptime: of.get(id) ?? null, round }] as const);
    setMonths((old) => new Map([...old, ...fresh]));
  };
  useEffect(() => {
    if (key === '') return;
    const timer = setTimeout(() => void attempt(ask), SOON_MS);
    return () => clearTimeout(timer);
  }, [key, round]);
  return months;
}
