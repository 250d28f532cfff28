import type { Methods } from '@svc/client';
import { type Figure, percent } from '../format.ts';

export type ProbeSeries = Methods['task_query_series']['result']['series'][number];

/** Loss and latency over a whole time; latencies in ms, loss from 0 to 1. */
export interface Percentiles {
  readonly count: number;
  readonly loss: number | null;
  readonly min: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  /** Answers since the last loss; undefined: not looked up. */
  readonly answeredSince?: number;
}

/** Answers that would have been lost by now if the loss still went on; by chance none is in one case of twenty. */
const EXPECTED = 3;

/** Tells whether something was lost and has been put right since. */
export const isMended = ({ loss, answeredSince = 0 }: Percentiles): boolean =>
  (loss ?? 0) * answeredSince >= EXPECTED;

/** Answers in the buckets after the last one in which something was lost. */
export const answeredSince = ({ count, loss }: ProbeSeries): number =>
  count.slice(loss.findLastIndex((part) => (part ?? 0) > 0) + 1).reduce((sum, one) => sum + one, 0);

/** Percentiles of an answer with one bucket. Null where nothing was measured. */
export function percentilesOf(series: ProbeSeries): Percentiles | null {
  const count = series.count[0] ?? 0;
  if (count === 0) return null;
  const first = (values: readonly (number | null)[]) => values[0] ?? null;
  const { loss, min, p50, p95, p99, max } = series;
  return {
    count,
    loss: first(loss),
    min: first(min),
    p50: first(p50),
    p95: first(p95),
    p99: first(p99),
    max: first(max),
  };
}

/** Loss as a person says it: nothing lost is 0, not 0.0. */
export const lossFigure = (loss: number): Figure =>
  loss === 0 ? { value: '0', unit: '%' } : percent(loss * 100);

const SLOWER = 1.5;
const SLOWER_MS = 5;

/** Tells whether it is slower than usual: by half, and by more than a few milliseconds. */
export const isSlow = (now: number | null | undefined, usual: number | null | undefined): boolean =>
  now != null && usual != null && now > usual * SLOWER && now - usual > SLOWER_MS;

/** The middle of the days' medians: one bad day does not move it. */
export function middle(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = sorted.length >> 1;
  const upper = sorted[at];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[at - 1] ?? upper) + upper) / 2;
}
