import { type DatabaseAlarm, databaseError, withoutStatement } from '@svc/plugin-sdk/driver';
import { mark } from '@svc/plugin-sdk/util';
import type { Knex } from 'knex';
import { marking } from './away.ts';
import { initSession, type SessionSettings } from './connection.ts';
import { type PgConnection, PostgresDialect } from './quirks.ts';

/** knex's Postgres client with our session options. Its errors are 103 with the driver's error as cause. */
export const postgresClient = (
  settings: SessionSettings,
  alarm: DatabaseAlarm,
): typeof Knex.Client =>
  class PostgresClient extends PostgresDialect {
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
        return await alarm.watch(marking(super.acquireConnection()));
      } catch (error) {
        throw databaseError(error);
      }
    }

    override async query(
      connection: PgConnection,
      query: { sql: string } | string,
    ): Promise<unknown> {
      try {
        return await alarm.watch(marking(super.query(connection, query) as Promise<unknown>));
      } catch (error) {
        throw databaseError(withoutStatement(error, typeof query === 'string' ? query : query.sql));
      } finally {
        mark();
      }
    }
  };
