import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
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
import { toExecuted } from '../executed.ts';
import { closeKnex, sharedKnexConfig } from '../knex-shared.ts';
import type { OpenDatabase, OpenOptions } from '../open.ts';
import { transact } from '../transaction.ts';
import type { ConnectionSettings } from './connection.ts';
import { Executor } from './execute.ts';
import { WriterClient } from './knex-client.ts';
import { lockForServing } from './lock.ts';
import { Reader } from './reader.ts';
import { MainReads } from './reads.ts';
import { WriterSink } from './sink.ts';
import { splitScript } from './split.ts';
import { Writer } from './writer.ts';

/** What a plain read begins with; the driver has the last word. */
const reading = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|values|with|explain|pragma)\b/i;

/** Opens a SQLite file: writer thread, knex over it, and a reading connection on this thread. */
export async function openSqlite(
  url: { readonly file: string; readonly create: boolean },
  options: OpenOptions,
): Promise<OpenDatabase> {
  const file = resolve(url.file);
  checkFile(file, url.create);
  const settings: ConnectionSettings = {
    file,
    role: 'writer',
    create: url.create,
    synchronous: options.config.sqlite_synchronous ?? 'NORMAL',
  };
  const unlock = options.mode === 'serve' ? lockForServing(file) : () => {};
  const writer = new Writer(settings, options.log);
  try {
    await writer.query('select 1', []);
    return new SqliteDatabase(settings, writer, unlock, options);
  } catch (error) {
    await writer.end();
    unlock();
    throw new UserError(`database.database_url: cannot open ${file}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function checkFile(file: string, create: boolean): void {
  const kind = statSync(file, { throwIfNoEntry: false });
  if (kind?.isDirectory())
    throw new UserError(`database.database_url: ${file} is a directory, not a database file`);
  if (kind) return;
  if (!create) {
    throw new UserError(
      `database.database_url: ${file} does not exist; add ?mode=rwc to have it created`,
    );
  }
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`database.database_url: the directory ${dirname(file)} does not exist`);
  }
}

class SqliteDatabase implements OpenDatabase {
  readonly dialect = 'sqlite';
  readonly knex: Knex;
  readonly isUniqueViolation = isUniqueViolation;
  readonly #options: OpenOptions;
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
    options: OpenOptions,
  ) {
    this.#options = options;
    this.#writer = writer;
    this.#unlock = unlock;
    this.#reads = new MainReads({ ...settings, role: 'main' });
    this.#reader = new Reader(settings, options.log);
    this.#executor = new Executor(settings);
    this.knex = knexFactory({
      ...sharedKnexConfig(options.log),
      client: WriterClient,
      connection: { filename: settings.file, writer } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      pool: { min: 0, max: 1, acquireTimeoutMillis: options.config.acquire_timeout_ms },
    });
  }

  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return transact(this.knex, work);
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
    const appender = new GroupAppender(
      options,
      new WriterSink(this.#writer, options),
      this.#options.log,
    );
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
    await closeKnex(this.knex, this.#options.log);
    this.#reads.close();
    await this.#writer.close();
    this.#unlock();
  }
}
