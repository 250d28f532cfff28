import type { ProbeBucket } from '@svc/plugin-task/api';
import type { ProbePast } from './probe-history.ts';
import type { Cell, CellKind } from './uptime.ts';

/** Buckets of one cell: half an hour. */
const CELL_STEPS = 6;
/** Buckets that count as now: at least two, and more until there are three probes, up to two hours. */
const RECENT_STEPS = 2;
const MOST_RECENT_STEPS = 24;
const RECENT_PROBES = 3;
const PART_LOSS = 0.05;
const BAD_LOSS = 0.5;

export interface Latency {
  /** Cells of a day: 48 half hours. */
  readonly cells: readonly Cell[];
  readonly past: ProbePast;
  /** Part that was lost in that time, 0 to 1; undefined: no probes. */
  readonly loss: number | undefined;
  /** ms; undefined: none was answered. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly max: number | undefined;
  /** Part that was lost lately; undefined: no probes. */
  readonly lately: number | undefined;
  /** Tells whether so much was lost lately that it is no chance. */
  readonly isLossy: boolean;
  /** Time at which it answered last, Unix ms, while all is lost. */
  readonly silentSince: number | undefined;
}

export function latencyOf(past: ProbePast): Latency {
  const { buckets } = past;
  const seen = buckets.filter((bucket) => bucket !== undefined);
  const lately = recent(buckets);
  const isSilent = lately.count > 0 && lately.lost === lately.count;
  return {
    cells: cellsOf(past),
    past,
    loss: lossOf(sumOf(seen)),
    p50: weighted(seen, 4),
    p95: weighted(seen, 5),
    max: greatest(seen),
    lately: lossOf(lately),
    isLossy: isLossy(lossOf(lately) ?? 0, lately.lost),
    silentSince: isSilent ? silence(past) : undefined,
  };
}

interface Sum {
  readonly count: number;
  readonly lost: number;
}
const sumOf = (buckets: readonly (ProbeBucket | undefined)[]): Sum => {
  let [count, lost] = [0, 0];
  for (const bucket of buckets) {
    count += bucket?.[1] ?? 0;
    lost += bucket?.[2] ?? 0;
  }
  return { count, lost };
};
const lossOf = ({ count, lost }: Sum) => (count > 0 ? lost / count : undefined);

function recent(buckets: ProbePast['buckets']): Sum {
  for (let steps = RECENT_STEPS; ; steps++) {
    const sum = sumOf(buckets.slice(-steps));
    if (sum.count >= RECENT_PROBES || steps >= MOST_RECENT_STEPS) return sum;
  }
}

/** Begin of the first of the newest buckets that hold lost probes only. */
function silence({ from, step_ms, buckets }: ProbePast): number {
  let since = from;
  for (let at = buckets.length - 1; at >= 0; at--) {
    const bucket = buckets[at];
    if (!bucket) continue;
    if (bucket[1] > bucket[2]) break;
    since = from + at * step_ms;
  }
  return since;
}

/** Percentiles of the buckets, by their answered probes: near enough to those of the day for a sentence. */
function weighted(buckets: readonly ProbeBucket[], which: 4 | 5): number | undefined {
  const values = buckets
    .flatMap((bucket) => (bucket[which] === null ? [] : [[bucket[which], bucket[1] - bucket[2]]]))
    .sort(([a = 0], [b = 0]) => a - b);
  const half = values.reduce((sum, [, weight = 0]) => sum + weight, 0) * (which === 4 ? 0.5 : 0.95);
  let sum = 0;
  for (const [value, weight = 0] of values) {
    sum += weight;
    if (sum >= half) return value;
  }
  return undefined;
}

function greatest(buckets: readonly ProbeBucket[]): number | undefined {
  let most: number | undefined;
  for (const [, , , , , , , max] of buckets) if (max !== null) most = Math.max(most ?? 0, max);
  return most;
}

function cellsOf({ from, step_ms, buckets }: ProbePast): Cell[] {
  const cells: Cell[] = [];
  for (let at = 0; at < buckets.length; at += CELL_STEPS) {
    const sum = sumOf(buckets.slice(at, at + CELL_STEPS));
    const loss = lossOf(sum);
    cells.push({
      kind: kindOf(loss, sum.lost),
      at: from + at * step_ms,
      share: 1 - (loss ?? 0),
      away: 0,
    });
  }
  return cells;
}

function kindOf(loss: number | undefined, lost: number): CellKind {
  if (loss === undefined) return 'none';
  if (loss >= BAD_LOSS) return 'bad';
  return isLossy(loss, lost) ? 'part' : 'fine';
}

/** One lost probe alone is chance. */
const isLossy = (loss: number, lost: number): boolean => loss >= PART_LOSS && lost > 1;
