import { SUMMARY_COLUMNS } from '@svc/plugin-agent/api';
import type { Row } from './variables.ts';

/** Fields that rows hold times ten. */
const TENFOLD = new Set(['cpu_usage', 'load_one', 'load_five', 'load_fifteen']);

/** Makes a row as summaries are stored from values in the units of answers. */
export function rowOf(
  columns: readonly string[],
  read: (column: string) => number | string | null | undefined,
): Row {
  const row: (number | null)[] = [];
  for (const column of columns) {
    const at = SUMMARY_COLUMNS[column as keyof typeof SUMMARY_COLUMNS];
    const value = read(column);
    row[at] =
      typeof value === 'number' && !Number.isNaN(value)
        ? value * (TENFOLD.has(column) ? 10 : 1)
        : null;
  }
  return row;
}
