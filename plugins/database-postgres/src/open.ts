import type { ShareRules } from '@svc/plugin-admission/api';
import { type DatabaseHandle, type DatabaseRequest, UserError } from '@svc/plugin-sdk';
import { FullAlarm, queryBuilderSettings } from '@svc/plugin-sdk/driver';
import knexFactory, { type Knex } from 'knex';
import { connectionSettings, poolSettings, sessionSettings } from './connection.ts';
import { PostgresDatabase } from './database.ts';
import { postgresClient } from './knex-client.ts';

/** Oldest supported version, as `server_version_num`. */
const OLDEST = 140_000;

/**
 * Connects to a Postgres database, version 14 or later. `standing`: of the callers whose SQL and long reads wait for turns.
 * @throws UserError that says what is wrong
 */
export async function openPostgres(
  { url, mode, options, log, clock }: DatabaseRequest,
  standing?: ShareRules['standing'],
): Promise<DatabaseHandle> {
  const settings = sessionSettings(options);
  const alarm = new FullAlarm(log, clock);
  const knex = knexFactory({
    ...queryBuilderSettings(log),
    client: postgresClient(settings, alarm),
    connection: connectionSettings(url, { mode, options }) as Knex.PgConnectionConfig,
    pool: poolSettings(options),
  });
  knex.on('query', ({ sql }: { sql: string }) => log.trace('statement', { sql }));
  const db = new PostgresDatabase(knex, settings, { log, alarm, url, options, standing });
  try {
    const row = await db.first<{ version: string }>(
      "select current_setting('server_version_num') as version",
    );
    if (Number(row?.version) < OLDEST)
      throw new Error(`the server has version ${row?.version}, 14 or later is needed`);
    return db;
  } catch (error) {
    await db.close();
    const { host, pathname } = new URL(url);
    throw new UserError(
      `database.database_url: cannot use ${host}${pathname}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
