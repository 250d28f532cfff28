import {
  COUNTED_ROWS,
  KEPT_BYTES,
  type ResultPart,
  type ScriptResult,
  sizeOfValues,
} from '@svc/plugin-sdk/driver';
import type { GuardedTables, SqlCaller } from '@svc/plugin-sdk/sql';
import type Sqlite from 'better-sqlite3';
import { exactValues } from './exact.ts';
import type { Guard } from './guard.ts';
import type { BoundStatement } from './placeholders.ts';
import { doubtfulColumns, trueBytes, withBytes } from './text-bytes.ts';

/** A text of a caller. */
export interface Script {
  readonly sql: string;
  /** One list for all statements; BigInt is an integer, a number a real. What is missing is NULL. */
  readonly params: readonly unknown[];
  /** Rows that are kept. */
  readonly maxRows: number;
  /** Tables that the caller is kept from; undefined: the caller may do anything. */
  readonly guards?: { readonly tables: GuardedTables; readonly caller: SqlCaller } | undefined;
  /** Folder in which `VACUUM INTO` may make a file. */
  readonly vacuum_folder?: string | undefined;
}

export interface RunOptions extends Pick<Script, 'params' | 'maxRows'> {
  /** Integers of rows are BigInt, so that reals can be told from them. */
  readonly typed?: boolean;
  /** Called before each statement is prepared. */
  readonly before?: (statement: BoundStatement) => void;
  /** Looks at every statement right before it runs. */
  readonly guard?: Guard | undefined;
}

const reading = new Set(['select', 'values', 'with', 'explain', 'pragma']);

/** Tells whether every statement only reads and gives rows. @throws what the driver says about a bad statement */
export function onlyReads(db: Sqlite.Database, statements: readonly BoundStatement[]): boolean {
  return statements.every(({ sql, word }) => {
    if (!reading.has(word)) return false;
    const statement = db.prepare(sql);
    return statement.readonly && statement.reader;
  });
}

/** Runs the statements in order, each prepared after the one before it ran. */
export function runScript(
  db: Sqlite.Database,
  statements: readonly BoundStatement[],
  { params, maxRows, typed = false, guard, before }: RunOptions,
): ScriptResult {
  const kept = { rows: maxRows, bytes: KEPT_BYTES };
  const parts: ResultPart[] = [];
  let rowCount = 0;
  let affected = 0;
  for (const statement of statements) {
    before?.(statement);
    const values = boundValues(statement, params);
    guard?.refuseTrees(statement, values);
    // What the caller wrote names the columns; the same with the engine's own placeholders runs.
    const written = db.prepare(statement.sql).safeIntegers();
    const run = values.length === 0 ? written : db.prepare(statement.numbered).safeIntegers();
    if (written.reader) {
      const read = readRows(db, statement, run, values, kept);
      kept.rows -= read.rows.length;
      kept.bytes -= read.bytes;
      rowCount += read.count;
      const columns = written.columns().map((column) => column.name);
      parts.push({ columns, rows: typed ? read.rows : read.rows.map(exactValues) });
    } else {
      affected += run.run(...values).changes;
    }
  }
  return { parts, rowCount, affected };
}

/** Returns the bound values, by the numbers of their placeholders. */
function boundValues({ values }: BoundStatement, params: readonly unknown[]): object[] {
  if (values.length === 0) return [];
  return [Object.fromEntries(values.map((place, at) => [at + 1, boundValue(params[place])]))];
}

/** A number would be bound as a real. */
const boundValue = (given: unknown): unknown =>
  typeof given === 'boolean' ? BigInt(given) : (given ?? null);

interface Room {
  readonly rows: number;
  readonly bytes: number;
}

interface Read {
  readonly rows: unknown[][];
  readonly bytes: number;
  readonly count: number;
}

/** Rows of one statement. TEXT that is not UTF-8 comes as its bytes where the statement can be read once more. */
function readRows(
  db: Sqlite.Database,
  { numberedBody, word }: BoundStatement,
  run: Sqlite.Statement,
  values: readonly object[],
  room: Room,
): Read {
  const read = readWithin(run, values, room);
  const doubtful = run.readonly && selecting.has(word) ? doubtfulColumns(read.rows) : [];
  const width = read.rows[0]?.length ?? 0;
  const again = doubtful.length > 0 && withBytes(db, numberedBody, width, doubtful);
  if (!again) return read;
  const second = readWithin(again.safeIntegers(), values, room);
  return { ...second, rows: second.rows.map((row) => trueBytes(row, width, doubtful)) };
}

const selecting = new Set(['select', 'values', 'with']);

function readWithin(statement: Sqlite.Statement, values: readonly object[], room: Room): Read {
  const rows: unknown[][] = [];
  let bytes = 0;
  let count = 0;
  for (const row of statement.raw().iterate(...values) as IterableIterator<unknown[]>) {
    count++;
    if (rows.length < room.rows && bytes < room.bytes) {
      bytes += sizeOfValues(row);
      // The row that does not fit is cut too: one row alone can be as large as the engine allows.
      if (bytes <= room.bytes) rows.push(row);
    } else if (count >= COUNTED_ROWS && statement.readonly) {
      break;
    }
  }
  return { rows, bytes, count };
}
