import { type Knex, RpcError, type SqlValue } from '@svc/plugin-sdk';

/** 64-bit integers: BigInt where a double cannot hold them. */
export type Integer = number | bigint;

/** A piece of SQL with the values of its placeholders. */
export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/** Rows of a statement, run where writes run. */
export async function rowsOf<Row>(
  on: Knex | Knex.Transaction,
  { text, params }: Sql,
): Promise<Row[]> {
  const result: unknown = await on.raw(text, params as never);
  return Array.isArray(result) ? result : (result as { rows: Row[] }).rows;
}

/** Runs database work; a failure of the driver becomes 103 with a neutral text. */
export async function guarded<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RpcError && cause.code !== DATABASE) throw cause;
    throw RpcError.database(detail, { cause });
  }
}

const DATABASE = 103;
