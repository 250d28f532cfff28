/** One field of a cron expression: its values and their names (crontab.md §2). */
export interface FieldRule {
  readonly label: string;
  /** First value of `*`. */
  readonly from: number;
  /** Least value that may be written. */
  readonly least: number;
  readonly to: number;
  /** Lower case, longest first, so that `mon` is not found in `monday`. */
  readonly names: readonly (readonly [name: string, value: number])[];
  /** Tells whether `?` is the same as `*`. */
  readonly question: boolean;
}

const field = (
  label: string,
  from: number,
  to: number,
  more: Partial<Pick<FieldRule, 'least' | 'names' | 'question'>> = {},
): FieldRule => ({ label, from, to, least: from, names: [], question: false, ...more });

const longestFirst = (values: { readonly [name: string]: number }) =>
  Object.entries(values).sort(([a], [b]) => b.length - a.length);

/** Pairs of each word, and of its first three letters, with its number; the first word is 1. */
const numbered = (words: readonly string[]): { readonly [name: string]: number } =>
  Object.fromEntries(
    words.flatMap((word, at) => [
      [word, at + 1],
      [word.slice(0, 3), at + 1],
    ]),
  );

const months = numbered([
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]);

const weekdays = {
  ...numbered(['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']),
  tues: 3,
  thurs: 5,
};

/** The six fields that must be there, in order. */
export const FIELDS = [
  field('second', 0, 59),
  field('minute', 0, 59),
  field('hour', 0, 23),
  field('day of month', 1, 31, { question: true }),
  field('month', 1, 12, { names: longestFirst(months) }),
  // 1 is Sunday; dashboards also write 0 for it.
  field('day of week', 1, 7, { least: 0, names: longestFirst(weekdays), question: true }),
] as const;

export const YEAR = field('year', 1970, 2100);
export const SUNDAY = 1;
