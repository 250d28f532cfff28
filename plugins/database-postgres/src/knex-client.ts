import { createRequire } from 'node:module';
import { databaseError, withoutStatement } from '@svc/plugin-sdk/driver';
import type { Knex } from 'knex';
import { initSession, type PgConnection, type SessionSettings } from './connection.ts';

// The package has no typed entry for its dialects.
const Dialect = createRequire(import.meta.url)('knex/lib/dialects/postgres') as typeof Knex.Client;

/** knex's Postgres client with our session options. Its errors are 103 with the driver's error as cause. */
export const postgresClient = (settings: SessionSettings): typeof Knex.Client =>
  class PostgresClient extends Dialect {
    override async acquireRawConnection(): Promise<PgConnection> {
      const connection: PgConnection = await super.acquireRawConnection();
      try {
        await initSession(connection, settings);
      } catch (error) {
        await this.destroyRawConnection(connection);
        throw error;
      }
      return connection;
    }

    override async acquireConnection(): Promise<PgConnection> {
      try {
        return await super.acquireConnection();
      } catch (error) {
        throw databaseError(error);
      }
    }

    override async query(
      connection: PgConnection,
      query: { sql: string } | string,
    ): Promise<unknown> {
      try {
        return await super.query(connection, query);
      } catch (error) {
        throw databaseError(withoutStatement(error, typeof query === 'string' ? query : query.sql));
      }
    }
  };
