import type {
  AppenderOptions,
  DatabaseHandle,
  Executed,
  Logger,
  RawJson,
  SqlValue,
} from '@svc/plugin-sdk';
import {
  closeQueryBuilder,
  databaseError,
  GroupAppender,
  isUniqueViolation,
  transact,
} from '@svc/plugin-sdk/driver';
import type { Knex } from 'knex';
import { PgPool, type SessionSettings } from './connection.ts';
import { type ExecuteOptions, execute } from './execute.ts';
import { jsonArray } from './json-array.ts';
import { numbered } from './placeholders.ts';
import { CopySink } from './sink.ts';

/** Any constant serves that no other program takes; it ends with the transaction that takes it. */
const MIGRATION_LOCK = 7_305_019_771;

/** A Postgres database over one pool of connections. */
export class PostgresDatabase implements DatabaseHandle {
  readonly dialect = 'postgres';
  readonly knex: Knex;
  readonly isUniqueViolation = isUniqueViolation;
  readonly #log: Logger;
  readonly #pool: PgPool;
  readonly #appenders: GroupAppender[] = [];
  #closing: Promise<void> | undefined;

  constructor(knex: Knex, settings: SessionSettings, log: Logger) {
    this.knex = knex;
    this.#log = log;
    this.#pool = new PgPool(knex, settings);
  }

  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return transact(this.knex, work);
  }

  migration<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(async (trx) => {
      // A step over a large table takes its time, and so does the wait for one.
      await trx.raw('set local statement_timeout = 0');
      await trx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      return work(trx);
    });
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
      return await jsonArray(this.#pool, sql, params, options, this.#log);
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : databaseError(error);
    }
  }

  appender(options: AppenderOptions): GroupAppender {
    const appender = new GroupAppender(options, new CopySink(this.#pool, options), this.#log);
    this.#appenders.push(appender);
    return appender;
  }

  execute(sql: string, params: readonly SqlValue[], options: ExecuteOptions): Promise<Executed> {
    return execute(this.#pool, sql, params, options, this.#log);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#appenders.map((appender) => appender.close()));
    await closeQueryBuilder(this.knex, this.#log);
  }
}
