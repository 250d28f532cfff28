import { isUtf8 } from 'node:buffer';
import type Sqlite from 'better-sqlite3';

/*
 * TEXT that is not valid UTF-8 counts as a BLOB (db.md §4.6), but the driver gives it with U+FFFD in place of what it
 * cannot decode, and has no way to its bytes. So a read whose rows show that character is read again, with the bytes
 * of the doubtful columns next to them.
 */

/** Columns of one result at most. */
const MAX_COLUMNS = 2_000;

/** Columns in which some text holds U+FFFD. */
export function doubtfulColumns(rows: readonly (readonly unknown[])[]): number[] {
  const found = new Set<number>();
  for (const row of rows) {
    row.forEach((value, column) => {
      if (typeof value === 'string' && value.includes('\ufffd')) found.add(column);
    });
  }
  return [...found];
}

/**
 * The read with the bytes of these columns' texts behind its own `width` columns.
 * @returns undefined when the file does not store UTF-8, or the result has too many columns
 */
export function withBytes(
  db: Sqlite.Database,
  body: string,
  width: number,
  columns: readonly number[],
): Sqlite.Statement | undefined {
  const isWide = width + columns.length > MAX_COLUMNS;
  if (isWide || db.pragma('encoding', { simple: true }) !== 'UTF-8') return undefined;
  const names = Array.from({ length: width }, (_, column) => `c${column}`).join(', ');
  const bytes = columns.map(
    (at) => `case typeof(c${at}) when 'text' then cast(c${at} as blob) end`,
  );
  return db.prepare(
    `with r(${names}) as materialized (${body}\n) select ${names}, ${bytes.join(', ')} from r`,
  );
}

/** A row of that read, with bytes in place of the texts that are not UTF-8. */
export function trueBytes(
  row: readonly unknown[],
  width: number,
  columns: readonly number[],
): unknown[] {
  const values = row.slice(0, width);
  columns.forEach((column, at) => {
    const bytes = row[width + at];
    if (bytes instanceof Uint8Array && !isUtf8(bytes)) values[column] = bytes;
  });
  return values;
}
