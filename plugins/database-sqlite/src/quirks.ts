import type { Knex } from 'knex';
import Dialect from 'knex/lib/dialects/better-sqlite3/index.js';

/*
 * Members that this driver needs of knex beyond its published types. test/kernel/database-quirks.test.ts fails when the library
 * changes one of these.
 */

/** knex's client for better-sqlite3: the writing thread speaks its statements. */
export const SqliteDialect: typeof Knex.Client = Dialect;

/** A statement as knex hands it to `_query`, which puts the answer into it. */
export interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: unknown;
}

/** Statement that knex sends at the beginning of a transaction. */
export const BEGIN = 'BEGIN;';

/** Takes the one connection of the pool, so that no statement and no transaction of knex runs meanwhile. */
export async function holdingConnection<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  const client = knex.client as Knex.Client;
  const connection: unknown = await client.acquireConnection();
  try {
    return await work();
  } finally {
    await client.releaseConnection(connection);
  }
}
