import { createRequire } from 'node:module';
import type { Knex } from 'knex';

/*
 * What this driver needs of knex beyond its published types. test/kernel/database-quirks.test.ts fails when the library
 * changes one of these.
 */

/** knex's client for better-sqlite3: the writing thread speaks its statements. The package has no typed entry for it. */
export const SqliteDialect = createRequire(import.meta.url)(
  'knex/lib/dialects/better-sqlite3',
) as typeof Knex.Client;

/** A statement as knex hands it to `_query`, which puts the answer into it. */
export interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: unknown;
}

/** What knex sends at the beginning of a transaction. */
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
