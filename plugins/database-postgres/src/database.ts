import { type ShareRules, Turns } from '@svc/fair-turns';
import { type Database, RpcError } from '@svc/plugin-sdk';
import {
  type DatabaseAlarm,
  DriverDatabase,
  databaseError,
  poolOptions,
  readError,
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
  TimePartitions,
  TimeTable,
} from '@svc/plugin-sdk/sql';
import { mark } from '@svc/plugin-sdk/util';
import type { Knex } from 'knex';
import { PgPool, type SessionSettings } from './connection.ts';
import { type ExecuteOptions, execute } from './execute.ts';
import { forms } from './forms.ts';
import { GuardedPool, refusedRight } from './guarded-pool.ts';
import { type GuardedRole, prepareRole } from './guarded-role.ts';
import { hostWord, inOwnTurn, refusedHost } from './guarded-text.ts';
import { jsonArray } from './json-array.ts';
import { holdMigrations, migrationDatabase } from './migration.ts';
import { numbered } from './placeholders.ts';
import { CopySink } from './sink.ts';
import { openSpace } from './space.ts';
import { openTimePartitions } from './time-partitions.ts';

/** Sizes with indexes and out-of-line storage; a partitioned table counts with its partitions, which are no tables of their own. */
const TABLE_SIZES = `
  select c.relname::text as name, coalesce(case c.relkind
      when 'p' then (select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid))
      else pg_total_relation_size(c.oid) end, 0)::bigint as bytes
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relname <> 'schema_migrations'
  order by c.relname collate "C"`;

/** Connections that long work leaves to other work, and as many that it leaves to callers that hold none. */
const SPARE_CONNECTIONS = 2;
const TURN_TIMEOUT_MS = 30_000;
const TURN = {
  timeout_ms: TURN_TIMEOUT_MS,
  late: () => RpcError.database(`too many long reads: no turn within ${TURN_TIMEOUT_MS} ms`),
};

/** A Postgres database over one pool of connections. */
export class PostgresDatabase extends DriverDatabase implements DatabaseHandle {
  readonly dialect = 'postgres';
  readonly forms = forms;
  readonly severalServers = true;
  readonly #pool: PgPool;
  /** Turns of what may take long, which leave connections to everything else. */
  readonly #turns: Turns;
  readonly #openGuarded: (role: GuardedRole) => GuardedPool;
  readonly #guarded: GuardedPool[] = [];

  constructor(
    knex: Knex,
    settings: SessionSettings,
    {
      log,
      alarm,
      url,
      options,
      standing,
    }: Pick<DatabaseRequest, 'log' | 'url' | 'options'> &
      Pick<ShareRules, 'standing'> & { readonly alarm: DatabaseAlarm },
  ) {
    const pool = new PgPool(knex, settings, alarm);
    super(knex, new CopySink(pool), log);
    const { max_connections } = poolOptions(options);
    const spare = Math.min(SPARE_CONNECTIONS, Math.floor(max_connections / 4));
    const most = Math.max(1, max_connections - 2 * spare);
    this.#turns = new Turns({ most: () => most, spare: () => spare, standing });
    this.#pool = pool;
    const guarded = { owner: this.query, url, options, session: settings, alarm, log, standing };
    this.#openGuarded = (role) => new GuardedPool(role, guarded);
  }

  readonly space: Space = openSpace((sql, params) => this.all(sql, params));
  readonly timePartitions = (table: TimeTable): TimePartitions => openTimePartitions(this, table);

  transaction<T>(
    work: (trx: QueryBuilder) => Promise<T>,
    { alone }: { alone?: string } = {},
  ): Promise<T> {
    return transact(this.query, async (trx) => {
      if (alone !== undefined) await trx.raw('lock table ?? in share row exclusive mode', [alone]);
      return work(trx);
    });
  }

  locked<T>(
    { id, shared }: { id: number; shared: boolean },
    work: (on: QueryBuilder) => Promise<T>,
  ): Promise<T> {
    return this.transaction(async (trx) => {
      await trx.raw(`select pg_advisory_xact_lock${shared ? '_shared' : ''}(?)`, [id]);
      return work(trx);
    });
  }

  migration<T>(work: (db: MigrationDatabase) => Promise<T>): Promise<T> {
    return this.query.transaction(async (trx) => {
      await holdMigrations(trx);
      return work(migrationDatabase(trx));
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
    } finally {
      mark();
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
    options: { maxBytes: number; signal?: AbortSignal; short?: boolean | 'try'; share?: string },
  ): Promise<RawJson> {
    const read = () => jsonArray(this.#pool, sql, params, options, this.log);
    const { short, share = '', signal } = options;
    try {
      return await (short === true ? read() : this.#turns.run(share, { ...TURN, signal }, read));
    } catch (error) {
      throw readError(error, signal);
    }
  }

  async guard(tables: GuardedTables, caller: SqlCaller): Promise<Database['execute']> {
    // A role that owns no table changes the shape of none.
    const closed = Object.entries(tables).filter(([, kind]) => kind !== 'data');
    try {
      const role = await prepareRole(this.query, Object.fromEntries(closed), caller);
      const pool = this.#openGuarded(role);
      this.#guarded.push(pool);
      if (caller === 'token') return pool.execute;
      return async (sql, params, options) => {
        await this.#refuseHost(sql);
        return pool.execute(sql, params, options);
      };
    } catch (error) {
      if (caller === 'token') throw error;
      return this.#readOnly((error as Error).message);
    }
  }

  /** The Super Token's way where no role can be made for it: nothing is changed. */
  #readOnly(reason: string): Database['execute'] {
    this.log.warn('exec_sql of the Super Token only reads', { reason });
    return (sql, params, options) =>
      this.execute(sql, params, { ...options, readonly: true }).catch((error: unknown) => {
        throw refusedRight(error, `: exec_sql only reads on this server: ${reason}`);
      });
  }

  async execute(
    sql: string,
    params: readonly CallerValue[],
    options: ExecuteOptions,
  ): Promise<Executed> {
    await this.#refuseHost(sql);
    const { timeout_ms, share = '', signal } = options;
    const late = () => new Error(`no connection was free within ${timeout_ms} ms`);
    return this.#turns.run(share, { timeout_ms, late, signal }, () =>
      execute(this.#pool, sql, params, options, this.log),
    );
  }

  async #refuseHost(sql: string): Promise<void> {
    const word = await inOwnTurn(sql, hostWord);
    if (word !== undefined && (await this.#reachesHost())) throw refusedHost(word);
  }

  /** Tells whether the user may reach the host: without these rights the database itself refuses that. */
  async #reachesHost(): Promise<boolean> {
    const row = await this.first<{ reaches: boolean }>(
      `select bool_or(pg_has_role(oid, 'member')) as reaches from pg_roles
        where rolsuper or rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')`,
    );
    return row?.reaches !== false;
  }

  tableSizes(): Promise<TableSize[]> {
    return this.all<TableSize>(TABLE_SIZES);
  }

  protected override closeReaders(): Promise<unknown> {
    return Promise.all(this.#guarded.map((pool) => pool.close()));
  }
}
