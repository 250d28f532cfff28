import { setTimeout as delay } from 'node:timers/promises';
import type { ShareRules } from '@svc/fair-turns';
import { type Database, RpcError } from '@svc/plugin-sdk';
import {
  codeOf,
  DriverDatabase,
  databaseError,
  poolOptions,
  queryBuilderSettings,
  readError,
  toExecuted,
  transact,
} from '@svc/plugin-sdk/driver';
import type { RawJson } from '@svc/plugin-sdk/json';
import type {
  CallerValue,
  DatabaseHandle,
  DatabaseRequest,
  Executed,
  GuardedTables,
  MigrationDatabase,
  QueryBuilder,
  Space,
  SqlCaller,
  SqlValue,
  TableSize,
} from '@svc/plugin-sdk/sql';
import knexFactory, { type Knex } from 'knex';
import type { ConnectionSettings } from './connection.ts';
import { Executor } from './execute.ts';
import { forms } from './forms.ts';
import { WriterClient } from './knex-client.ts';
import { migrationDatabase } from './migration.ts';
import { holdingConnection } from './quirks.ts';
import { Reader } from './reader.ts';
import { MainReads } from './reads.ts';
import type { Script } from './script.ts';
import { sendable } from './script-process.ts';
import { WriterSink } from './sink.ts';
import { openSpace } from './space.ts';
import type { Writer } from './writer.ts';

type ExecuteOptions = Parameters<Database['execute']>[2];

/** An answer of this size is read in a few milliseconds. */
const SHORT_BYTES = 512 * 1024;
const TOO_BIG = RpcError.responseTooBig(0).code;
const NEVER_MS = 2 ** 31 - 1;
/** Longest time that another process may hold the database with its own migrations. */
const MIGRATION_WAIT_MS = 600_000;

interface Options extends Pick<DatabaseRequest, 'log' | 'options'> {
  readonly standing: ShareRules['standing'];
  /** Called once everything is closed. */
  readonly ended: () => Promise<void>;
}

/** A SQLite file: one writing thread with the query builder over it, and a reading connection on this thread. */
export class SqliteDatabase extends DriverDatabase implements DatabaseHandle {
  readonly dialect = 'sqlite';
  readonly forms = forms;
  readonly severalServers = false;
  readonly timePartitions = undefined;
  readonly space: Space;
  readonly #knex: Knex;
  readonly #writer: Writer;
  readonly #reads: MainReads;
  readonly #reader: Reader;
  readonly #executor: Executor;
  readonly #ended: () => Promise<void>;

  constructor(settings: ConnectionSettings, writer: Writer, options: Options) {
    const { log, standing } = options;
    const knex = openQueryBuilder(settings.file, writer, options);
    super(knex, new WriterSink(writer), log);
    this.#knex = knex;
    this.#writer = writer;
    this.#ended = options.ended;
    this.#reads = new MainReads({ ...settings, role: 'main' });
    this.#reader = new Reader(settings, log, standing);
    this.#executor = new Executor(settings, standing);
    this.space = openSpace(settings.file, writer, (sql) => this.#reads.first(sql, []));
  }

  /** Runs a transaction, which is always alone: only one connection writes. */
  transaction<T>(work: (trx: QueryBuilder) => Promise<T>): Promise<T> {
    return transact(this.query, work);
  }

  locked<T>(_lock: unknown, work: (on: QueryBuilder) => Promise<T>): Promise<T> {
    return work(this.query);
  }

  /** Another process may migrate at the same time: this one waits for it. */
  async migration<T>(work: (db: MigrationDatabase) => Promise<T>): Promise<T> {
    const until = Date.now() + MIGRATION_WAIT_MS;
    for (;;) {
      try {
        return await this.query.transaction((trx) => work(migrationDatabase(trx)));
      } catch (error) {
        const isBusy = codeOf((error as Error).cause).startsWith('SQLITE_BUSY');
        if (!isBusy || Date.now() > until) throw error;
        await delay(100);
      }
    }
  }

  async all<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    this.log.trace('statement', { sql });
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
    this.log.trace('statement', { sql });
    try {
      return this.#reads.first<Row>(sql, params);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean | 'try'; share?: string },
  ): Promise<RawJson> {
    try {
      const here = options.short && this.#readHere(sql, params, options);
      return here || (await this.#reader.jsonArray(sql, params, options));
    } catch (error) {
      throw readError(error, options.signal);
    }
  }

  /** @returns undefined when the answer turned out to be too long for this thread */
  #readHere(
    sql: string,
    params: readonly SqlValue[],
    { maxBytes, short }: { maxBytes: number; short?: boolean | 'try' },
  ): RawJson | undefined {
    const most = short === 'try' ? Math.min(SHORT_BYTES, maxBytes) : maxBytes;
    try {
      return this.#reads.jsonArray(sql, params, most);
    } catch (error) {
      if (most < maxBytes && error instanceof RpcError && error.code === TOO_BIG) return undefined;
      throw error;
    }
  }

  execute(sql: string, params: readonly CallerValue[], options: ExecuteOptions): Promise<Executed> {
    return this.#execute(sql, params, options);
  }

  async guard(tables: GuardedTables, caller: SqlCaller): Promise<Database['execute']> {
    return (sql, params, options) => this.#execute(sql, params, options, { tables, caller });
  }

  async #execute(
    sql: string,
    params: readonly CallerValue[],
    options: ExecuteOptions,
    guards?: Script['guards'],
  ): Promise<Executed> {
    const { maxRows, vacuum_folder } = options;
    const script = { sql, params: params.map(sendable), maxRows, guards, vacuum_folder };
    return toExecuted(await this.#executor.run(script, (work) => this.#alone(work), options));
  }

  tableSizes(): Promise<TableSize[]> {
    return this.#writer.sizes();
  }

  /** Runs `work` while nothing else writes: no transaction of knex, no batch. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return holdingConnection(this.#knex, () => this.#writer.hold(work));
  }

  protected override closeReaders(): Promise<unknown> {
    return Promise.all([this.#reader.close(), this.#executor.close()]);
  }

  protected override async closeConnections(): Promise<void> {
    this.#reads.close();
    await this.#writer.close();
    await this.#ended();
  }
}

const openQueryBuilder = (
  filename: string,
  writer: Writer,
  { log, options }: Pick<Options, 'log' | 'options'>,
): Knex =>
  knexFactory({
    ...queryBuilderSettings(log),
    client: WriterClient,
    connection: { filename, writer } as Knex.StaticConnectionConfig,
    useNullAsDefault: true,
    pool: {
      ...{ min: 0, max: 1, acquireTimeoutMillis: poolOptions(options).acquire_timeout_ms },
      // The writing thread keeps its connection: nothing is won by looking once a second whether it is unused.
      ...{ idleTimeoutMillis: NEVER_MS, reapIntervalMillis: NEVER_MS },
    },
  });
