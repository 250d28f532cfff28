import { useEffect, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { attempt } from '../../../parts/index.ts';
import type { Line } from './filters.ts';

/** Pause, ms, after the last scrolling before the server is asked. */
const SOON_MS = 200;
/** Monitors of one call. */
const MOST = 200;

type Months = ReadonlyMap<number, number | null>;

/** Uptime of 30 days by the id of the monitor, of rows that were in the window. */
export function useMonths(shown: readonly Line[]): Months {
  const { call } = useServer();
  const [months, setMonths] = useState<Months>(new Map());
  const ids = shown.flatMap((line) =>
    'row' in line && !months.has(line.row.id) ? [line.row.id] : [],
  );
  const key = ids.join(' ');
  useEffect(() => {
    if (key === '') return;
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const found = await call('monitor_overview', { ids: ids.slice(0, MOST) });
          const of = new Map(found.map(({ id, uptime_30d }) => [id, uptime_30d]));
          setMonths(
            (old) => new Map([...old, ...ids.map((id) => [id, of.get(id) ?? null] as const)]),
          );
        }),
      SOON_MS,
    );
    return () => clearTimeout(timer);
  }, [key]);
  return months;
}
