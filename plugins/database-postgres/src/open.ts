import type { ShareRules } from '@svc/fair-turns';
import { RpcError, UserError } from '@svc/plugin-sdk';
import { DatabaseAlarm, queryBuilderSettings } from '@svc/plugin-sdk/driver';
import type { DatabaseHandle, DatabaseRequest } from '@svc/plugin-sdk/sql';
import { codeOf } from '@svc/plugin-sdk/util';
import knexFactory, { type Knex } from 'knex';
import { connectionSettings, poolSettings, sessionSettings } from './connection.ts';
import { PostgresDatabase } from './database.ts';
import { postgresClient } from './knex-client.ts';

/** Oldest supported version, as `server_version_num`. */
const OLDEST = 140_000;
/** SQL_ASCII keeps every byte as it came. Others lack most characters: a name would be refused years later. */
const ENCODINGS = ['UTF8', 'SQL_ASCII'];

/** A database that cannot hold every text. */
class WrongEncoding extends Error {
  constructor(encoding: string) {
    super(`it is encoded in ${encoding}, and UTF8 is needed`);
  }
}

/**
 * Connects to a Postgres database, version 14 or later. `standing`: of the callers whose SQL and long reads wait for turns.
 * @throws UserError that says what is wrong
 */
export async function openPostgres(
  { url, mode, options, log, clock }: DatabaseRequest,
  standing?: ShareRules['standing'],
): Promise<DatabaseHandle> {
  const settings = sessionSettings(options);
  let isOpen = false;
  const alarm = new DatabaseAlarm(log, clock, () => isOpen);
  const knex = knexFactory({
    ...queryBuilderSettings(log, () => isOpen),
    client: postgresClient(settings, alarm),
    connection: connectionSettings(url, { mode, options }) as Knex.PgConnectionConfig,
    pool: poolSettings(options),
  });
  const db = new PostgresDatabase(knex, settings, { log, alarm, url, options, standing });
  try {
    const row = await db.first<{ version: string; encoding: string }>(
      `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
    );
    const { version, encoding = '' } = row ?? {};
    if (Number(version) < OLDEST)
      throw new Error(`the server has version ${version}, 14 or later is needed`);
    if (!ENCODINGS.includes(encoding)) throw new WrongEncoding(encoding);
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
  const unusable = `cannot use ${host}${pathname}: ${message}`;
  const made = `make one with createdb --encoding=UTF8 --template=template0 NAME`;
  const other = cause instanceof WrongEncoding ? `${unusable}; ${made}` : unusable;
  const reason = reasons[codeOf(cause)] ?? (isLate ? away : other);
  return new UserError(`database.database_url: ${reason}`, { cause });
}
