import type { ShareRules } from '@svc/plugin-admission/api';
import {
  codeOf,
  type DatabaseHandle,
  type DatabaseRequest,
  RpcError,
  UserError,
} from '@svc/plugin-sdk';
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
  let isOpen = false;
  const knex = knexFactory({
    ...queryBuilderSettings(log, () => isOpen),
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
    isOpen = true;
    return db;
  } catch (error) {
    await db.close();
    throw whyNot(url, error);
  }
}

/** One sentence: what Postgres or the network said, and what to do. The text holds no password. */
function whyNot(url: string, error: unknown): UserError {
  const cause = error instanceof RpcError ? (error.cause ?? error) : error;
  const { host, pathname } = new URL(url);
  const { message } = cause as Error;
  const name = decodeURIComponent(pathname.slice(1));
  const away = `Postgres does not answer at ${host} (${message}): start it, or correct the address`;
  const refused = `Postgres at ${host} refuses this login (${message}): correct user and password`;
  const reasons: { readonly [code: string]: string } = {
    ECONNREFUSED: away,
    ECONNRESET: away,
    EHOSTUNREACH: away,
    ENETUNREACH: away,
    ENOENT: away,
    ETIMEDOUT: away,
    ENOTFOUND: `no address is known for the host of ${host} (${message}): correct its name`,
    EAI_AGAIN: `no address is known for the host of ${host} (${message}): correct its name`,
    '28000': refused,
    '28P01': refused,
    '3D000': `Postgres at ${host} has no database '${name}': make it with createdb ${name}`,
  };
  const isLate = /timeout/i.test(message);
  const reason =
    reasons[codeOf(cause)] ?? (isLate ? away : `cannot use ${host}${pathname}: ${message}`);
  return new UserError(`database.database_url: ${reason}`, { cause });
}
