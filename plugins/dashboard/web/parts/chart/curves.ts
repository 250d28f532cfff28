/** One curve of a chart; `avg` is drawn, `min` and `max` are a band under it. */
export interface Line {
  readonly label: string;
  /** A colour's name: `--series-1`. */
  readonly color: string;
  /** Dashes: a total, a limit. */
  readonly dashed?: boolean;
  readonly avg: ReadonlyArray<number | null>;
  readonly min?: ReadonlyArray<number | null>;
  readonly max?: ReadonlyArray<number | null>;
}

/** Curves over the same times, Unix ms, ascending. */
export interface Curves {
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

/** A time without values, Unix ms. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Reason in words, where it is known. */
  readonly reason?: string;
}

/** Times that are shaded: the hold of an alert, and while it was open. */
export interface Span {
  /** Unix ms. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'hold' | 'critical' | 'warning' | 'info';
}

/** Marks of alerts in a chart. */
export interface Marks {
  /** Value at which a line is drawn, in the unit of the chart. */
  readonly threshold?: number | undefined;
  readonly spans?: readonly Span[];
}

/** Agents that report every second may miss some seconds. */
const SHORTEST_MS = 5_000;

/**
 * Time between two values from which it is a gap, ms. Buckets that are narrower than the distance of reports are empty
 * without one, so the usual distance counts; where buckets hold many reports, one empty bucket is one.
 */
function limitOf(times: readonly number[], step_ms: number): number {
  const apart = times.slice(1).map((time, at) => time - (times[at] ?? time));
  // Not the middle: reports a little further apart than buckets leave every few of them empty.
  const usual = apart.sort((a, b) => a - b)[Math.floor((apart.length - 1) * 0.9)] ?? step_ms;
  return usual > step_ms * 1.01
    ? Math.max(2.5 * usual, SHORTEST_MS)
    : Math.max(1.5 * step_ms, SHORTEST_MS);
}

const hasValue = ({ lines }: Curves, at: number) =>
  lines.some(({ avg }) => avg[at] !== null && avg[at] !== undefined);

/**
 * The times without values, among them the one from the last value until `until`.
 * @param step_ms width of a bucket
 */
export function gapsOf(curves: Curves, step_ms: number, until: number): Gap[] {
  const times = curves.times.filter((_, at) => hasValue(curves, at));
  const limit = limitOf(times, step_ms);
  const gaps: Gap[] = [];
  for (const [at, from] of times.entries()) {
    const to = times[at + 1] ?? until;
    const isLast = at === times.length - 1;
    if (to - from > (isLast ? Math.max(2 * limit, 15_000) : limit)) gaps.push({ from, to });
  }
  return gaps;
}

/** The curves without empty buckets, and with one empty place in each gap, where the line breaks. */
export function withGaps(curves: Curves, gaps: readonly Gap[]): Curves {
  const places: (number | null)[] = [];
  const times: number[] = [];
  let next = 0;
  for (const [at, time] of curves.times.entries()) {
    if (!hasValue(curves, at)) continue;
    for (let gap = gaps[next]; gap && gap.to <= time; gap = gaps[++next]) {
      times.push((gap.from + gap.to) / 2);
      places.push(null);
    }
    times.push(time);
    places.push(at);
  }
  const pick = (values: ReadonlyArray<number | null>) =>
    places.map((at) => (at === null ? null : (values[at] ?? null)));
  const lines = curves.lines.map((line) => ({
    ...line,
    avg: pick(line.avg),
    ...(line.min && { min: pick(line.min) }),
    ...(line.max && { max: pick(line.max) }),
  }));
  return { times, lines };
}
