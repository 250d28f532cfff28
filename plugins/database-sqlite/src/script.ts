import {
  COUNTED_ROWS,
  KEPT_BYTES,
  type ResultPart,
  type ScriptResult,
  sizeOfValues,
} from '@svc/plugin-sdk/driver';
import type Sqlite from 'better-sqlite3';
import { exactValues } from './exact.ts';
import type { ScriptStatement } from './split.ts';

export interface Script {
  readonly statements: readonly ScriptStatement[];
  /** Taken by the statements in order. */
  readonly params: readonly unknown[];
  /** Integers are BigInt and numbers are reals, in `params` and in rows. */
  readonly typed?: boolean;
  readonly maxRows: number;
}

/** True when every statement only reads and gives rows. @throws what the driver says about a bad statement */
export function onlyReads(db: Sqlite.Database, { statements }: Script): boolean {
  return statements.every(({ sql }) => {
    const statement = db.prepare(sql);
    return statement.readonly && statement.reader;
  });
}

/** Runs the statements in order, each prepared after the one before it ran. */
export function runScript(
  db: Sqlite.Database,
  { statements, params, maxRows, typed = false }: Script,
): ScriptResult {
  const kept = { rows: maxRows, bytes: KEPT_BYTES, typed };
  const parts: ResultPart[] = [];
  let rowCount = 0;
  let affected = 0;
  let used = 0;
  for (const { sql, anonymous, named, count } of statements) {
    const statement = db.prepare(sql).safeIntegers();
    const value = (place: number) => boundValue(params[used + place], typed);
    const values = bind(value, anonymous, named);
    used += count;
    if (statement.reader) {
      const read = readRows(statement.raw(), values, kept);
      parts.push(read);
      rowCount += read.count;
    } else {
      affected += statement.run(...values).changes;
    }
  }
  return { parts, rowCount, affected };
}

function readRows(
  statement: Sqlite.Statement,
  values: readonly unknown[],
  kept: { rows: number; bytes: number; readonly typed: boolean },
): ResultPart & { count: number } {
  const rows: unknown[][] = [];
  let count = 0;
  for (const row of statement.iterate(...values) as IterableIterator<unknown[]>) {
    count++;
    if (kept.rows > 0 && kept.bytes > 0) {
      kept.rows--;
      kept.bytes -= sizeOfValues(row);
      // The row that does not fit is cut too: one row alone can be as large as the engine allows.
      if (kept.bytes >= 0) rows.push(kept.typed ? row : exactValues(row));
    } else if (count >= COUNTED_ROWS && statement.readonly) {
      break;
    }
  }
  return { columns: statement.columns().map((column) => column.name), rows, count };
}

/** Integers become BigInt, because the driver would bind a number as floating point. */
function boundValue(given: unknown, typed: boolean): unknown {
  if (typeof given === 'boolean') return given ? 1n : 0n;
  return Number.isInteger(given) && !typed ? BigInt(given as number) : (given ?? null);
}

function bind(
  value: (place: number) => unknown,
  anonymous: readonly number[],
  named: ScriptStatement['named'],
): unknown[] {
  const values: unknown[] = [];
  if (anonymous.length > 0) values.push(anonymous.map(value));
  const names = Object.entries(named);
  if (names.length > 0)
    values.push(Object.fromEntries(names.map(([name, place]) => [name, value(place)])));
  return values;
}
