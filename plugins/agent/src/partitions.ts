import type { PartitionRange } from '@svc/plugin-sdk/sql';

export const DAY_MS = 86_400_000;
/** Start of the year 2100: a later time comes from a broken clock, and has a partition of its own from the start. */
export const FAR_MS = 4_102_444_800_000;
/** Time that partitions reach ahead, so that a rare long statement or a pause of all servers does no harm. */
const AHEAD_MS = 7 * DAY_MS;

export const floorTo = (time: number, width: number): number => Math.floor(time / width) * width;

/**
 * Width of new partitions, ms, for rows that are kept so long; undefined: without end. A table has some 60 partitions at
 * most, or one more each month: every statement that names no time opens all of them.
 */
export function widthFor(kept_ms: number | undefined): number {
  if (kept_ms === undefined || kept_ms > 420 * DAY_MS) return 30 * DAY_MS;
  return kept_ms > 60 * DAY_MS ? 7 * DAY_MS : DAY_MS;
}

/** Returns where the partitions without a gap to the far one end. */
export const coveredTo = (ranges: readonly PartitionRange[]): number =>
  Math.max(...ranges.filter(({ to }) => to <= FAR_MS).map(({ to }) => to));

/** Partitions that are missing until some days from `now`; bounds are multiples of the width. */
export function missing(
  ranges: readonly PartitionRange[],
  now: number,
  width: number,
): PartitionRange[] {
  const found: PartitionRange[] = [];
  let from = coveredTo(ranges);
  const today = floorTo(now, DAY_MS);
  // No server ran for a while: one partition is enough for that time.
  if (from < today - width) {
    found.push({ from, to: today });
    from = today;
  }
  while (from < now + AHEAD_MS && from < FAR_MS) {
    const to = Math.min(floorTo(from, width) + width, FAR_MS);
    found.push({ from, to });
    from = to;
  }
  return found;
}
