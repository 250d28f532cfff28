import { type Database, type Knex, RpcError, type SqlValue } from '@svc/plugin-sdk';

/** Rows of a statement, run where writes run. */
export async function rowsOf<Row>(
  on: Knex | Knex.Transaction,
  text: string,
  params: readonly SqlValue[],
): Promise<Row[]> {
  const result: unknown = await on.raw(text, params as never);
  return Array.isArray(result) ? result : (result as { rows: Row[] }).rows;
}

export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

/** A transaction in which nobody else, on any server, changes the table. */
export function alone<T>(
  db: Database,
  table: string,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (trx) => {
    // SQLite has one writer at a time anyway.
    if (db.dialect === 'postgres') await trx.raw(`lock table ${table} in share row exclusive mode`);
    return work(trx);
  });
}

/** Runs database work; a failure of the driver becomes 103 with a neutral text. */
export async function guarded<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RpcError && !(cause.cause instanceof Error)) throw cause;
    throw RpcError.database(detail, { cause });
  }
}
