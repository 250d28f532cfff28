import { DEGRADED, DOWN, PAUSED, type Span, UNKNOWN, UP, type VerdictState } from '../types.ts';

/** Verdict, or state of a place, from a time on until the next one. */
export interface Change {
  readonly at: number;
  readonly state: VerdictState;
}

/** Spans of time in which results say something: in order, none touching another. */
export type Cover = readonly (readonly [from: number, to: number])[];

/** Returns how long a result says something: until this time. `always`: the verdict does without results of its own. */
export type CoverEnd = ((at: number) => number) | 'always';

interface Timed {
  readonly at: number;
  readonly ok: boolean | null;
}

export interface Bounds {
  readonly from: number;
  readonly to: number;
}

export type Seconds = Pick<Span, 'up_s' | 'degraded_s' | 'down_s' | 'unknown_s' | 'paused_s'>;
export type Times = Pick<Span, 'ms_min' | 'ms_p50' | 'ms_p95' | 'ms_max'>;

/** Intervals for which a result of a check says something. */
const INTERVALS = 2.5;

/** Returns the end of what a result says of a monitor that is checked each so many seconds. */
export const untilMissed =
  (interval_s: number): CoverEnd =>
  (at) =>
    at + INTERVALS * interval_s * 1_000;

/** Returns what results of all places together cover; they are in the order of time. */
export function coverOf(results: readonly Timed[], end: CoverEnd): Cover {
  if (end === 'always') return [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
  const spans: [number, number][] = [];
  for (const { at, ok } of results) {
    if (ok === null) continue;
    const last = spans.at(-1);
    if (last && at <= last[1]) last[1] = Math.max(last[1], end(at));
    else if (end(at) > at) spans.push([at, end(at)]);
  }
  return spans;
}

/**
 * Returns seconds by verdict: up, degraded and down count while results cover them, time that is paused always, and what is
 * left is unknown. `changes` are in order and begin with the one that holds at `from`, where one does.
 */
export function secondsOf(changes: readonly Change[], cover: Cover, { from, to }: Bounds): Seconds {
  const ms = new Map<VerdictState, number>();
  const add = (state: VerdictState, time: number) => ms.set(state, (ms.get(state) ?? 0) + time);
  let place = 0;
  for (const [state, begin, end] of segmentsOf(changes, { from, to })) {
    if (state === PAUSED || state === UNKNOWN) {
      add(state, end - begin);
      continue;
    }
    let covered = 0;
    while ((cover[place]?.[1] ?? Number.POSITIVE_INFINITY) <= begin) place++;
    for (let at = place; at < cover.length; at++) {
      const [first, last] = cover[at] as Cover[number];
      if (first >= end) break;
      covered += Math.min(last, end) - Math.max(first, begin);
    }
    add(state, covered);
    add(UNKNOWN, end - begin - covered);
  }
  const seconds = (state: VerdictState) => (ms.get(state) ?? 0) / 1_000;
  return {
    up_s: seconds(UP),
    degraded_s: seconds(DEGRADED),
    down_s: seconds(DOWN),
    unknown_s: seconds(UNKNOWN),
    paused_s: seconds(PAUSED),
  };
}

/** Returns seconds of one place by its results, in the order of time; what is paused is so by the verdicts. */
export function placeSeconds(
  results: readonly Timed[],
  end: CoverEnd,
  { verdicts, from, to }: Bounds & { readonly verdicts: readonly Change[] },
): Seconds {
  const changes: Change[] = results.flatMap(({ at, ok }, place) => {
    const next = results[place + 1]?.at ?? Number.POSITIVE_INFINITY;
    const over = end === 'always' ? Number.POSITIVE_INFINITY : end(at);
    const said: Change[] = [{ at, state: ok === null ? UNKNOWN : ok ? UP : DOWN }];
    return over < next ? [...said, { at: over, state: UNKNOWN }] : said;
  });
  const paused = segmentsOf(verdicts, { from, to }).filter(([state]) => state === PAUSED);
  const all = secondsOf(changes, coverOf([], 'always'), { from, to });
  let paused_s = 0;
  for (const [, begin, stop] of paused) {
    const inside = secondsOf(changes, coverOf([], 'always'), { from: begin, to: stop });
    paused_s += inside.unknown_s;
  }
  return { ...all, unknown_s: all.unknown_s - paused_s, paused_s };
}

/** Returns what holds one after the other in a span. */
function segmentsOf(
  changes: readonly Change[],
  { from, to }: Bounds,
): [state: VerdictState, from: number, to: number][] {
  const found: [VerdictState, number, number][] = [];
  let [state, begin]: [VerdictState, number] = [UNKNOWN, from];
  for (const change of changes) {
    const at = Math.min(Math.max(change.at, from), to);
    if (at > begin) found.push([state, begin, at]);
    [state, begin] = [change.state, Math.max(begin, at)];
  }
  if (to > begin) found.push([state, begin, to]);
  return found;
}

/** Returns the least, middle, 95th and greatest of some times, by nearest rank. */
export function timesOf(values: readonly number[]): Times {
  const sorted = Float64Array.from(values).sort();
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { ms_min: rank(0), ms_p50: rank(0.5), ms_p95: rank(0.95), ms_max: rank(1) };
}

/**
 * Returns a longer span of hours: their sums, and estimates of its percentiles, by nearest rank among those of the hours, each
 * as heavy as it has checks.
 */
export function sumOf(spans: readonly Span[]): Span {
  const sum = (name: keyof Seconds | 'n') => spans.reduce((all, span) => all + span[name], 0);
  const least = (name: 'ms_min' | 'ms_max') => weighted(spans, name);
  return {
    up_s: sum('up_s'),
    degraded_s: sum('degraded_s'),
    down_s: sum('down_s'),
    unknown_s: sum('unknown_s'),
    paused_s: sum('paused_s'),
    n: sum('n'),
    ms_min: least('ms_min')[0]?.[0] ?? null,
    ms_p50: rankOf(weighted(spans, 'ms_p50'), 0.5),
    ms_p95: rankOf(weighted(spans, 'ms_p95'), 0.95),
    ms_max: least('ms_max').at(-1)?.[0] ?? null,
  };
}

type Weighted = (readonly [value: number, weight: number])[];

const weighted = (spans: readonly Span[], name: keyof Times): Weighted =>
  spans
    .flatMap((span) => (span[name] === null ? [] : [[span[name], span.n] as const]))
    .sort(([a], [b]) => a - b);

function rankOf(values: Weighted, share: number): number | null {
  const all = values.reduce((sum, [, weight]) => sum + weight, 0);
  let passed = 0;
  for (const [value, weight] of values) {
    passed += weight;
    if (passed >= share * all) return value;
  }
  return null;
}
