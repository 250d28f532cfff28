/** One resolution of rollups. */
export interface Step {
  readonly source: 'minute' | 'quarter_hour';
  /** Value in the table. */
  readonly minutes: number;
  readonly ms: number;
  /** Time of one row, ms. */
  readonly span: number;
  /** Buckets of one row. */
  readonly buckets: number;
}

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const step = (source: Step['source'], minutes: number, span: number): Step => ({
  source,
  minutes,
  ms: minutes * MINUTE_MS,
  span,
  buckets: span / (minutes * MINUTE_MS),
});

export const MINUTE = step('minute', 1, 6 * HOUR_MS);
export const QUARTER = step('quarter_hour', 15, 4 * DAY_MS);
export const STEPS = [MINUTE, QUARTER] as const;

export const floorTo = (time: number, width: number): number => Math.floor(time / width) * width;
