export const DAY_MS = 86_400_000;

/** How long rows are kept, as choices in days. Empty: nothing is chosen. `0`: for ever. */
export const DAYS = ['', '1', '3', '7', '14', '30', '90', '365', '0'] as const;
export type Days = (typeof DAYS)[number] | 'other';

/** The choice for a stored limit in ms; `other` where it is none of them. */
export function daysOf(value: unknown): Days {
  if (value === undefined || value === null) return '';
  const days = String(Number(value) / DAY_MS) as Days;
  return (DAYS as readonly string[]).includes(days) ? days : 'other';
}
