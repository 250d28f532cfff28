import {
  type AppenderOptions,
  type Executed,
  type RawJson,
  type SqlValue,
  UserError,
} from '@svc/plugin-sdk';
import knexFactory, { type Knex } from 'knex';
import { GroupAppender } from '../appender.ts';
import { databaseError, isUniqueViolation } from '../errors.ts';
import { closeKnex, sharedKnexConfig } from '../knex-shared.ts';
import type { OpenDatabase, OpenOptions } from '../open.ts';
import { transact } from '../transaction.ts';
import { connectionSettings, PgPool, poolSettings, sessionSettings } from './connection.ts';
import { type ExecuteOptions, execute } from './execute.ts';
import { jsonArray } from './json-array.ts';
import { postgresClient } from './knex-client.ts';
import { numbered } from './placeholders.ts';
import { CopySink } from './sink.ts';

/** Oldest supported version, as `server_version_num`. */
const OLDEST = 140_000;

/** Connects to a Postgres database, version 14 or later. */
export async function openPostgres(url: string, options: OpenOptions): Promise<OpenDatabase> {
  const { config, log } = options;
  const db = new PostgresDatabase(
    knexFactory({
      ...sharedKnexConfig(log),
      client: postgresClient(sessionSettings(config)),
      connection: connectionSettings(url, config) as Knex.PgConnectionConfig,
      pool: poolSettings(config),
    }),
    options,
  );
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

class PostgresDatabase implements OpenDatabase {
  readonly dialect = 'postgres';
  readonly knex: Knex;
  readonly isUniqueViolation = isUniqueViolation;
  readonly #options: OpenOptions;
  readonly #pool: PgPool;
  readonly #appenders: GroupAppender[] = [];
  #closing: Promise<void> | undefined;

  constructor(knex: Knex, options: OpenOptions) {
    this.knex = knex;
    this.#options = options;
    this.#pool = new PgPool(knex, sessionSettings(options.config));
  }

  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return transact(this.knex, work);
  }

  async all<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      const query = { text: numbered(sql), values: [...params] };
      const result = await this.#pool.use((connection) =>
        connection.query<Row & Record<string, unknown>>(query),
      );
      return result.rows;
    } catch (error) {
      throw databaseError(error);
    }
  }

  async first<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
  ): Promise<Row | undefined> {
    const rows = await this.all<Row>(sql, params);
    return rows[0];
  }

  async jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean },
  ): Promise<RawJson> {
    try {
      return await jsonArray(this.#pool, sql, params, options, this.#options.log);
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : databaseError(error);
    }
  }

  appender(options: AppenderOptions): GroupAppender {
    const appender = new GroupAppender(
      options,
      new CopySink(this.#pool, options),
      this.#options.log,
    );
    this.#appenders.push(appender);
    return appender;
  }

  execute(sql: string, params: readonly SqlValue[], options: ExecuteOptions): Promise<Executed> {
    return execute(this.#pool, sql, params, options, this.#options.log);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#appenders.map((appender) => appender.close()));
    await closeKnex(this.knex, this.#options.log);
  }
}
