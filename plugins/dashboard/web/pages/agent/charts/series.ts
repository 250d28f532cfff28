import type { Methods } from '@svc/client';
import { type Resource, usePoll, useServer } from '../../../frame/index.ts';
import type { Span } from './span.ts';

export type Field = Methods['agent_query_series']['params']['fields'][number];
type Answer = Methods['agent_query_series']['result'];
type Values = ReadonlyArray<number | null>;

export interface Stretch {
  readonly min: Values;
  readonly avg: Values;
  readonly max: Values;
}

/** Series over the same buckets; the key is the field, followed by the name of a disk, interface or core. */
export interface Grid {
  /** Begin of the first bucket, Unix ms. */
  readonly from: number;
  readonly step_ms: number;
  readonly length: number;
  /** Time, Unix ms: reports that came later are not in it. */
  readonly until: number;
  readonly series: ReadonlyMap<string, Stretch>;
}

/** One report: its values by the keys of a grid. */
export interface Sample {
  readonly time: number;
  readonly values: Readonly<Record<string, number | null | undefined>>;
}

export const keyOf = (field: string, name?: string): string =>
  name === undefined ? field : `${field} ${name}`;

/** Names of the disks, interfaces or cores that a field has. */
export function namesOf({ series }: Grid, field: Field): string[] {
  const names = [...series.keys()]
    .filter((key) => key.startsWith(`${field} `))
    .map((key) => key.slice(field.length + 1));
  return names.sort(new Intl.Collator(undefined, { numeric: true }).compare);
}

/** Buckets of a chart: about one for two pixels. */
const POINTS = 400;
/** Interval, ms, of reading a live grid anew; between, reports are added as they come. */
const EVERY_MS = 45_000;

export const stepOf = ({ ms }: Span): number => Math.ceil(ms / POINTS);

/** History of one agent, read again while it lives. */
export function useGrid(uuid: string, fields: readonly Field[], span: Span): Resource<Grid> {
  const { call } = useServer();
  const step = stepOf(span);
  const load = async (signal: AbortSignal): Promise<Grid> => {
    const now = Date.now();
    const ends =
      span.preset === undefined
        ? { from: span.from, to: span.to }
        : {
            from: (Math.floor(now / step) - POINTS) * step,
            to: (Math.floor(now / step) + 1) * step,
          };
    const asked = { agents: [uuid], fields: [...fields], points: POINTS + 1, ...ends };
    return gridOf(await call('agent_query_series', asked, { signal }), now);
  };
  const key = [uuid, fields.join(), span.preset ?? `${span.from} ${span.to}`].join(' ');
  return usePoll(key, load, span.preset ? { every_ms: Math.max(EVERY_MS, step) } : {});
}

function gridOf({ from, step_ms, series }: Answer, until: number): Grid {
  const length = Math.max(0, ...series.map(({ avg }) => avg.length));
  return {
    from,
    step_ms,
    length,
    until,
    series: new Map(series.map(({ field, name, ...values }) => [keyOf(field, name), values])),
  };
}

/** Begins of the buckets, with those of the samples that came later. */
export function timesOf(grid: Grid, samples: readonly Sample[]): number[] {
  const last = samples.at(-1)?.time ?? 0;
  const length = Math.max(grid.length, Math.floor((last - grid.from) / grid.step_ms) + 1);
  return Array.from({ length }, (_, at) => grid.from + at * grid.step_ms);
}

/** One series with the samples that the server's answer does not hold. */
export function stretched(
  grid: Grid,
  key: string,
  samples: readonly Sample[],
  length: number,
): Stretch {
  const found = grid.series.get(key);
  const fill = (values: Values | undefined): (number | null)[] =>
    Array.from({ length }, (_, at) => values?.[at] ?? null);
  const [min, avg, max] = [fill(found?.min), fill(found?.avg), fill(found?.max)];
  const open = grid.from + Math.floor((grid.until - grid.from) / grid.step_ms) * grid.step_ms;
  // Where all reports of the open bucket are here, they make it anew; else it stays as the server had it.
  const since = (samples[0]?.time ?? Number.POSITIVE_INFINITY) <= open ? open : grid.until + 1;
  const counts = new Map<number, number>();
  for (const { time, values } of samples) {
    const value = values[key];
    if (time < since || value == null) continue;
    const at = Math.floor((time - grid.from) / grid.step_ms);
    if (at < 0 || at >= length) continue;
    const count = counts.get(at) ?? 0;
    counts.set(at, count + 1);
    avg[at] = count === 0 ? value : ((avg[at] ?? value) * count + value) / (count + 1);
    min[at] = count === 0 ? value : Math.min(min[at] ?? value, value);
    max[at] = count === 0 ? value : Math.max(max[at] ?? value, value);
  }
  return { min, avg, max };
}

/** Grid with names that only the newest reports have, of a disk that was just mounted. */
export function withNames(grid: Grid, values: Readonly<Record<string, unknown>> | undefined): Grid {
  const fresh = Object.keys(values ?? {}).filter((key) => !grid.series.has(key));
  if (fresh.length === 0) return grid;
  const none = { min: [], avg: [], max: [] };
  return {
    ...grid,
    series: new Map([...grid.series, ...fresh.map((key) => [key, none] as const)]),
  };
}
