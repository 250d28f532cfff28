import { RpcError } from '../errors.ts';
import type { RawJson } from '../json/raw.ts';
import type { QueryBuilder } from './query.ts';

export type SqlValue = string | number | bigint | null | Uint8Array | boolean;
/** A value of a caller's SQL. BigInt is an integer, a number a real, and `RawJson` a document: JSON as text on SQLite, `jsonb` on Postgres. */
export type CallerValue = SqlValue | RawJson;
export type Dialect = 'sqlite' | 'postgres';

/** 64-bit integers: BigInt where a double cannot hold them. */
export type Integer = number | bigint;

/** A piece of SQL with the values of its placeholders. */
export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/** `?, ?, …` */
export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

/** `where …` of conditions that must all hold, each with its values; none: every row. */
export function whereAll(parts: readonly (readonly [text: string, ...values: SqlValue[]])[]): Sql {
  return {
    text: `where ${parts.map(([text]) => text).join(' and ') || 'true'}`,
    params: parts.flatMap(([, ...values]) => values),
  };
}

/** Rows of a statement (`returning` included), run where writes run. */
export async function rowsOf<Row>(on: QueryBuilder, { text, params }: Sql): Promise<Row[]> {
  const result = await on.raw(text, params);
  return Array.isArray(result) ? result : (result as { rows: Row[] }).rows;
}

/** Runs database work; a failure of the driver becomes 103 with a neutral text, other errors pass. */
export async function guarded<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RpcError && !(cause.cause instanceof Error)) throw cause;
    throw RpcError.database(detail, { cause });
  }
}

/** Expressions and values that databases write in different ways. */
export interface SqlForms {
  /** A text column as JSON text, `null` included; `concat` of such expressions makes a row for `jsonArray`. */
  jsonText(column: string): string;
  /** A number, or text that is JSON already, as JSON text. */
  jsonPlain(column: string): string;
  jsonBoolean(column: string): string;
  /** Type name for `cast(… as …)` to a `document` column. */
  readonly document: string;
  /** Value of a UUID column. */
  uuid(uuid: string): SqlValue;
  /** A UUID column as text: lower case, hyphenated. */
  uuidText(column: string): string;
  boolean(value: boolean): SqlValue;
  /** Bytes of a text column. */
  byteLength(column: string): string;
  /** A table for `from`, of the elements of a parameter that is a JSON array; each is `value`, `->>` takes it apart. */
  readonly elements: string;
  /** The same for an array of texts or numbers, where each `value` is a text or a number. */
  readonly elementTexts: string;
  /** The database's own clock, Unix ms: clocks of servers differ. */
  readonly now: string;
  /**
   * Statement that, in a transaction, waits until no other one, on any server, holds these two 32-bit integers, and holds
   * them to its end. undefined: one transaction at a time changes this database anyway.
   */
  readonly takeTurn: string | undefined;
  /** Tells whether a text may hold U+0000. */
  readonly holdsZero: boolean;
}

/** The same on every database. */
export const jsonPlain = (column: string): string => `coalesce(cast(${column} as text), 'null')`;
export const jsonBoolean = (column: string): string =>
  `case when ${column} is null then 'null' when ${column} then 'true' else 'false' end`;
