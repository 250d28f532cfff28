import type { WindowUse } from '@svc/conditions';
import type { AgentSeries, Figure, Figures } from '@svc/plugin-series/api';
import { rowOf } from './stored-row.ts';
import { measuredOf } from './variables.ts';

const MINUTE_MS = 60_000;
/** Buckets of one window, at most. */
const MOST_POINTS = 120;

type Agent = Parameters<AgentSeries['figures']>[0];

/** One bucket of a variable, in the unit that people read. */
interface Bucket {
  /** Unix ms: the middle of its time. */
  readonly at: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly last: number;
}

export interface Ask {
  readonly series: Pick<AgentSeries, 'figures'>;
  readonly agent: Agent;
  /** Unix ms. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Measures windows of an agent from what is stored, those of one span with one reading; by `WindowUse.key`. @throws RpcError */
export async function measureWindows(
  uses: readonly WindowUse[],
  { series, agent, now, signal }: Ask,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [span, some] of Map.groupBy(uses, (use) => Number(use.span))) {
    const points = Math.min(MOST_POINTS, Math.max(1, Math.ceil(span / MINUTE_MS)));
    const fields = some.flatMap(({ variable }) => measuredOf(variable)?.columns ?? []);
    const range = { from: now - span, to: now, points };
    const figures = await series.figures(agent, [...new Set(fields)], range, signal);
    for (const use of some) {
      const value = windowValue(use, bucketsOf(use.variable, figures), { now, figures });
      if (value !== undefined) found.set(use.key, value);
    }
  }
  return found;
}

function bucketsOf(variable: string, { from, step_ms, figures }: Figures): Bucket[] {
  const measured = measuredOf(variable);
  const first = figures.get(measured?.columns[0] ?? '');
  if (!measured || !first) return [];
  const { columns, read } = measured;
  const buckets: Bucket[] = [];
  for (const [n, count] of first.count.entries()) {
    const valueBy = (of: (figure: Figure) => number) =>
      read(rowOf(columns, (column) => of(figures.get(column) ?? first)));
    const avg = count > 0 ? valueBy(({ sum, count }) => Number(sum[n]) / Number(count[n])) : null;
    if (avg === null || Number.isNaN(avg)) continue;
    // Least and greatest of a share of two figures are not known: its average stands for them.
    const plain = (of: 'min' | 'max') =>
      columns.length === 1 ? (valueBy((figure) => Number(figure[of][n])) ?? avg) : avg;
    const last = valueBy((figure) => Number(figure.last[n])) ?? avg;
    const at = from + (n + 0.5) * step_ms;
    buckets.push({ at, count, min: plain('min'), max: plain('max'), avg, last });
  }
  return buckets;
}

/** Value of a window; undefined where less than half of it has reports. */
function windowValue(
  { function: name, span }: WindowUse,
  buckets: readonly Bucket[],
  { now, figures }: { readonly now: number; readonly figures: Figures },
): number | undefined {
  if (buckets.length === 0 || buckets.length < Number(span) / figures.step_ms / 2) return undefined;
  switch (name) {
    case 'avg':
      return (
        buckets.reduce((sum, { avg, count }) => sum + avg * count, 0) /
        buckets.reduce((sum, { count }) => sum + count, 0)
      );
    case 'min':
      return Math.min(...buckets.map(({ min }) => min));
    case 'max':
      return Math.max(...buckets.map(({ max }) => max));
    case 'rate':
      return gainOf(buckets) / Math.max(1, (now - (buckets[0]?.at ?? now)) / 1_000);
    case 'predict':
      return lineAt(buckets, now + Number(span));
  }
  return undefined;
}

/** Sum of what a counter grew by; one that begins anew has grown by what it shows. */
function gainOf(buckets: readonly Bucket[]): number {
  let gain = 0;
  for (const [n, { last }] of buckets.entries()) {
    const before = buckets[n - 1]?.last;
    if (before !== undefined) gain += last >= before ? last - before : last;
  }
  return gain;
}

/** Value at a time of the straight line that lies nearest to the averages (least squares). */
function lineAt(buckets: readonly Bucket[], time: number): number | undefined {
  if (buckets.length < 2) return undefined;
  const meanOf = (of: (bucket: Bucket) => number) =>
    buckets.reduce((sum, bucket) => sum + of(bucket), 0) / buckets.length;
  const [at, value] = [meanOf((bucket) => bucket.at), meanOf(({ avg }) => avg)];
  const covariance = meanOf((bucket) => (bucket.at - at) * (bucket.avg - value));
  const variance = meanOf((bucket) => (bucket.at - at) ** 2);
  return value + (covariance / variance) * (time - at);
}
