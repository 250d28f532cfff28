import { type Database, type Knex, rowsOf, type SqlValue } from '@svc/plugin-sdk';

/** Rows of a statement, run where writes run. */
export const run = <Row>(
  on: Knex | Knex.Transaction,
  text: string,
  params: readonly SqlValue[],
): Promise<Row[]> => rowsOf<Row>(on, { text, params });

/** Runs a transaction while no other one, on any server, changes the table. */
export function alone<T>(
  db: Database,
  table: string,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (trx) => {
    // SQLite runs one writing transaction at a time.
    if (db.dialect === 'postgres') await trx.raw(`lock table ${table} in share row exclusive mode`);
    return work(trx);
  });
}
