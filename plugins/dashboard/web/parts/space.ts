const GIB = 2 ** 30;
/** Part from which a disk needs attention where little is left of it. */
const FULL = 0.9;
/** Part from which a disk needs attention, however much is left of it. */
const ALMOST_ALL = 0.98;
/** Space that is enough, however large the disk is. */
const ROOM = 50 * GIB;
const LITTLE_ROOM = 10 * GIB;

export type Mood = 'warn' | 'bad' | undefined;

/** State of a disk: by the part that is used, weighed by what is left. 600 GB of 10 TB are no trouble. */
export function spaceMood(total: number | null | undefined, left: number | null | undefined): Mood {
  if (total == null || left == null || total <= 0) return undefined;
  const part = 1 - left / total;
  if (part < FULL || (left > ROOM && part < ALMOST_ALL)) return undefined;
  return part >= 0.95 && left <= LITTLE_ROOM ? 'bad' : 'warn';
}

/** The bounds by which a bar is drawn in this mood. */
export const boundsOf = (mood: Mood): { readonly warn: number; readonly bad: number } => ({
  warn: mood === undefined ? 2 : 0,
  bad: mood === 'bad' ? 0 : 2,
});
