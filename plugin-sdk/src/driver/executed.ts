import type { Executed } from '../sql/database.ts';

/** Rows of one statement, values in column order. */
export interface ResultPart {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Result of a script. */
export interface ScriptResult {
  readonly parts: readonly ResultPart[];
  readonly rowCount: number;
  readonly affected: number;
}

/** Counting stops here, because a join of large tables may not end. */
export const COUNTED_ROWS = 1_000_000;
/** Characters and bytes of kept values; what comes after is cut like rows over `maxRows`. */
export const KEPT_BYTES = 128 * 2 ** 20;

export function toExecuted({ parts, rowCount, affected }: ScriptResult): Executed {
  const rows = parts.flatMap((part) => part.rows.map((row) => toObject(part.columns, row)));
  const columns = [...new Set(parts.flatMap((part) => part.columns))];
  return { columns, rows, rowCount, affected, truncated: rowCount > rows.length };
}

/** A name that occurs twice keeps the last value; `__proto__` is a name like any other. */
function toObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = Object.create(null);
  for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
  return row;
}

/** Approximate size of kept values. */
export function sizeOfValues(values: readonly unknown[]): number {
  let size = 16 * values.length;
  for (const value of values) {
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
  }
  return size;
}
