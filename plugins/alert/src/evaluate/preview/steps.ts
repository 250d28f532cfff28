const RAW_MS = 1_000;
export const MINUTE_MS = 60_000;
/** Range that is read second by second. */
const LONGEST_RAW_MS = 2 * 3_600_000;
export const MOST_EVALUATIONS = 2_000_000;

/** Steps in which a range is played, ms: as short as the bound of evaluations allows. */
export function stepOf(range_ms: number, places: number): number {
  const least = range_ms <= LONGEST_RAW_MS ? RAW_MS : MINUTE_MS;
  if ((range_ms / least) * places <= MOST_EVALUATIONS) return least;
  const minutes = Math.ceil((range_ms * places) / MOST_EVALUATIONS / MINUTE_MS);
  return minutes * MINUTE_MS;
}

/** Samples by which the usual distance is known. */
const SAMPLES = 200;

/** Usual time between values that arrived at these times (in order), at least a step, ms. */
export function usualOf(times: readonly number[], step_ms: number): number {
  const some = times.slice(0, SAMPLES);
  const distances = some.slice(1).map((at, n) => at - (some[n] as number));
  distances.sort((a, b) => a - b);
  return Math.max(step_ms, distances[Math.floor(distances.length / 2)] ?? 0);
}
