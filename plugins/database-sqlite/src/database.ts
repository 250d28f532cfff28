import { setTimeout as delay } from 'node:timers/promises';
import type {
  AppenderOptions,
  DatabaseHandle,
  DatabaseRequest,
  Executed,
  Logger,
  RawJson,
  SqlValue,
} from '@svc/plugin-sdk';
import {
  closeQueryBuilder,
  codeOf,
  databaseError,
  GroupAppender,
  isUniqueViolation,
  poolOptions,
  queryBuilderSettings,
  toExecuted,
  transact,
} from '@svc/plugin-sdk/driver';
import knexFactory, { type Knex } from 'knex';
import type { ConnectionSettings } from './connection.ts';
import { Executor } from './execute.ts';
import { WriterClient } from './knex-client.ts';
import { Reader } from './reader.ts';
import { MainReads } from './reads.ts';
import { WriterSink } from './sink.ts';
import { splitScript } from './split.ts';
import type { Writer } from './writer.ts';

/** What a plain read begins with; the driver has the last word. */
const reading = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|values|with|explain|pragma)\b/i;
/** How long another process may hold the database with its own migrations. */
const MIGRATION_WAIT_MS = 600_000;

/** A SQLite file: one writing thread with the query builder over it, and a reading connection on this thread. */
export class SqliteDatabase implements DatabaseHandle {
  readonly dialect = 'sqlite';
  readonly knex: Knex;
  readonly isUniqueViolation = isUniqueViolation;
  readonly #log: Logger;
  readonly #writer: Writer;
  readonly #reads: MainReads;
  readonly #reader: Reader;
  readonly #executor: Executor;
  readonly #unlock: () => void;
  readonly #appenders: GroupAppender[] = [];
  #closing: Promise<void> | undefined;

  constructor(
    settings: ConnectionSettings,
    writer: Writer,
    unlock: () => void,
    { log, options }: Pick<DatabaseRequest, 'log' | 'options'>,
  ) {
    this.#log = log;
    this.#writer = writer;
    this.#unlock = unlock;
    this.#reads = new MainReads({ ...settings, role: 'main' });
    this.#reader = new Reader(settings, log);
    this.#executor = new Executor(settings);
    this.knex = knexFactory({
      ...queryBuilderSettings(log),
      client: WriterClient,
      connection: { filename: settings.file, writer } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      pool: { min: 0, max: 1, acquireTimeoutMillis: poolOptions(options).acquire_timeout_ms },
    });
  }

  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return transact(this.knex, work);
  }

  /** Another process may migrate at the same time: this one waits for it. */
  async migration<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const until = Date.now() + MIGRATION_WAIT_MS;
    for (;;) {
      try {
        return await this.knex.transaction(work);
      } catch (error) {
        const isBusy = codeOf((error as Error).cause).startsWith('SQLITE_BUSY');
        if (!isBusy || Date.now() > until) throw error;
        await delay(100);
      }
    }
  }

  async all<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return this.#reads.all<Row>(sql, params);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async first<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
  ): Promise<Row | undefined> {
    try {
      return this.#reads.first<Row>(sql, params);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean },
  ): Promise<RawJson> {
    try {
      if (options.short) return this.#reads.jsonArray(sql, params, options.maxBytes);
      return await this.#reader.jsonArray(sql, params, options);
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : databaseError(error);
    }
  }

  appender(options: AppenderOptions): GroupAppender {
    const appender = new GroupAppender(options, new WriterSink(this.#writer, options), this.#log);
    this.#appenders.push(appender);
    return appender;
  }

  async execute(
    sql: string,
    params: readonly SqlValue[],
    options: { maxRows: number; timeout_ms: number; signal?: AbortSignal },
  ): Promise<Executed> {
    const statements = splitScript(sql);
    const needed = statements.reduce((sum, { count }) => sum + count, 0);
    if (needed !== params.length) {
      throw new Error(`the SQL takes ${needed} values, ${params.length} were given`);
    }
    if (statements.length === 0) return toExecuted({ parts: [], rowCount: 0, affected: 0 });
    const mayRead = statements.every((statement) => reading.test(statement.sql));
    const script = { statements, params, maxRows: options.maxRows };
    return toExecuted(
      await this.#executor.run(script, mayRead, (work) => this.#alone(work), options),
    );
  }

  /** Runs `work` while nothing else writes: no transaction of knex, no batch. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const client = this.knex.client as Knex.Client;
    const connection: unknown = await client.acquireConnection();
    try {
      return await this.#writer.hold(work);
    } finally {
      await client.releaseConnection(connection);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#appenders.map((appender) => appender.close()));
    await Promise.all([this.#reader.close(), this.#executor.close()]);
    await closeQueryBuilder(this.knex, this.#log);
    this.#reads.close();
    await this.#writer.close();
    this.#unlock();
  }
}
