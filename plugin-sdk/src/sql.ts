import type { Knex } from 'knex';
import type { Dialect, SqlValue } from './database.ts';
import { RpcError } from './errors.ts';

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
export async function rowsOf<Row>(
  on: Knex | Knex.Transaction,
  { text, params }: Sql,
): Promise<Row[]> {
  const result: unknown = await on.raw(text, params as never);
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

/** Expressions that give a column as JSON text, `null` included; `concat` of them makes a row for `jsonArray`. */
export interface JsonColumns {
  /** A text column. */
  readonly text: (column: string) => string;
  /** A number, or text that is JSON already. */
  readonly plain: (column: string) => string;
  readonly boolean: (column: string) => string;
}

export const jsonColumns = (dialect: Dialect): JsonColumns => ({
  text: (column) =>
    dialect === 'sqlite'
      ? `json_quote(${column})`
      : `coalesce(cast(to_json(${column}) as text), 'null')`,
  plain: (column) => `coalesce(cast(${column} as text), 'null')`,
  boolean: (column) =>
    `case when ${column} is null then 'null' when ${column} then 'true' else 'false' end`,
});

/** Text expression of a UUID that SQLite holds as 16 bytes: lower case, hyphenated. */
export function hyphenated(column: string): string {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`;
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
  return `lower(${parts.join(` || '-' || `)})`;
}
