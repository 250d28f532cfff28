/** Counters of one file, or of all. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** Tests that need Postgres, in a run without it (`--fast`). */
  leftOut: number;
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0, leftOut: 0 };

export const sum = (one: Tally, other: Tally): Tally => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  leftOut: one.leftOut + other.leftOut,
});

/** The line that closes a run. */
export const tallyLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
