const GIB = 2 ** 30;
/** From here on a disk asks for a look where little is left of it, and whatever is left. */
const FULL = 0.9;
const FULL_TO_THE_BRIM = 0.98;
/** So much room is enough, however large the disk is. */
const ROOM = 50 * GIB;
const LITTLE_ROOM = 10 * GIB;

export type Mood = 'warn' | 'bad' | undefined;

/** How a disk is: by the part that is used, weighed by what is left. 600 GB of 10 TB are no trouble. */
export function spaceMood(total: number | null | undefined, left: number | null | undefined): Mood {
  if (total == null || left == null || total <= 0) return undefined;
  const part = 1 - left / total;
  if (part < FULL || (left > ROOM && part < FULL_TO_THE_BRIM)) return undefined;
  return part >= 0.95 && left <= LITTLE_ROOM ? 'bad' : 'warn';
}

/** The bounds by which a bar is drawn in this mood. */
export const boundsOf = (mood: Mood): { readonly warn: number; readonly bad: number } => ({
  warn: mood === undefined ? 2 : 0,
  bad: mood === 'bad' ? 0 : 2,
});
