const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** A BigInt that a double can hold becomes a number; everything else stays. */
export function exact(value: unknown): unknown {
  return typeof value === 'bigint' && value <= largest && value >= -largest ? Number(value) : value;
}

/** Narrows the values of rows as objects, in place. */
export function exactObjects<Row extends object>(rows: Row[]): Row[] {
  for (const row of rows as Record<string, unknown>[]) {
    for (const name in row) {
      if (typeof row[name] === 'bigint') row[name] = exact(row[name]);
    }
  }
  return rows as Row[];
}

/** Narrows the values of one row as an array, in place. */
export function exactValues(row: unknown[]): unknown[] {
  for (let at = 0; at < row.length; at++) {
    if (typeof row[at] === 'bigint') row[at] = exact(row[at]);
  }
  return row;
}

/** Returns a value that better-sqlite3 can bind: booleans become 0 and 1, times milliseconds, absent values null. */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  return value ?? null;
}
