export const DAY_MS = 86_400_000;

/** Kinds of rows that a machine can have a limit of its own for; the names are those of keys of its namespace. */
export const LIMITED = [
  'dynamic_monitoring_summary',
  'dynamic_monitoring',
  'static_monitoring',
  'task',
] as const;

/** Choices of how long rows are kept, in days. Empty: nothing is chosen. `0`: forever. */
export const DAYS = ['', '1', '3', '7', '14', '30', '90', '365', '0'] as const;
export type Days = (typeof DAYS)[number] | 'other';

/** Days for a comparison: `0` is forever. */
const lengthOf = (days: number): number => (days === 0 ? Number.POSITIVE_INFINITY : days);

/**
 * Tells whether less is kept from now on: only then something is deleted. Text that is no number counts as less, since it is
 * unclear.
 */
export const isShorter = (before: number, after: number): boolean =>
  !(lengthOf(after) >= lengthOf(before));

/** The choice for a stored limit in ms; `other` where it is none of them. */
export function daysOf(value: unknown): Days {
  if (value === undefined || value === null) return '';
  const days = String(Number(value) / DAY_MS) as Days;
  return (DAYS as readonly string[]).includes(days) ? days : 'other';
}
