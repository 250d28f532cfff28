import type { Logger } from '@svc/plugin-sdk';
import {
  type DatabaseAlarm,
  type GivenOptions,
  poolOptions,
  timeOption,
} from '@svc/plugin-sdk/driver';
import type { DatabaseRequest } from '@svc/plugin-sdk/sql';
import { isDatabaseAway } from '@svc/plugin-sdk/util';
import type { Knex } from 'knex';
import type pg from 'pg';
import { SERVER_APPLICATION } from './api.ts';
import { marked } from './away.ts';
import { type PgConnection, type Pool, poolOf } from './quirks.ts';
import { storedTypes } from './types.ts';

/** Long enough to build an index over a large table in a migration; a connection that says nothing for longer is dead. */
const QUERY_TIMEOUT_MS = 600_000;

/** Returns the settings with which every connection to the database is made. */
export function connectionSettings(
  url: string,
  { mode, options }: Pick<DatabaseRequest, 'mode' | 'options'>,
): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: poolOptions(options).connect_timeout_ms,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    fallback_application_name:
      mode === 'serve' ? SERVER_APPLICATION : `${SERVER_APPLICATION} command`,
    types: storedTypes,
  };
}

export function poolSettings(options: GivenOptions): Knex.PoolConfig {
  const pool = poolOptions(options);
  return {
    min: 0,
    max: pool.max_connections,
    createTimeoutMillis: pool.connect_timeout_ms,
    acquireTimeoutMillis: pool.acquire_timeout_ms,
    idleTimeoutMillis: pool.idle_timeout_ms,
    maxConnectionLifetimeMillis: pool.max_lifetime_ms,
  };
}

/** Session settings of every connection. */
export interface SessionSettings {
  readonly statement_timeout_ms: number;
  /** Session of callers who are kept from tables; their texts are read by the standard's rules. Absent: as the database says. */
  readonly search_path?: string;
}

/** The database ends a statement after `statement_timeout_ms`; 0: never. Migrations and `execute` have limits of their own. */
export const sessionSettings = (options: GivenOptions): SessionSettings => ({
  statement_timeout_ms: timeOption(options, 'statement_timeout_ms', {
    minimum: 0,
    fallback: 60_000,
  }),
});

/**
 * Made by statements: poolers in between refuse options of a connection. An answered row must survive a crash of the
 * database too, also where its default for `synchronous_commit` is `off`. Compiling a statement that is estimated too
 * high takes many times what it then runs: seconds for a chart.
 */
export async function initSession(
  connection: pg.ClientBase,
  settings: SessionSettings,
): Promise<void> {
  const { search_path } = settings;
  if (search_path !== undefined)
    await connection.query(
      `set search_path to ${search_path}; set standard_conforming_strings = on`,
    );
  await connection.query(
    `set statement_timeout = ${settings.statement_timeout_ms}; set jit = off;
    select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
}

/** Connections of the pool for work below knex. */
export class PgPool {
  readonly #pool: Pool;
  readonly #settings: SessionSettings;
  /** Told of every write below knex. */
  readonly alarm: DatabaseAlarm;

  constructor(knex: Knex, settings: SessionSettings, alarm: DatabaseAlarm) {
    this.alarm = alarm;
    this.#pool = poolOf(knex);
    this.#settings = settings;
  }

  /** Sets a connection as it was when it was new. */
  init(connection: PgConnection): Promise<void> {
    return initSession(connection, this.#settings);
  }

  /** Lends one connection; `work` marks it with `spoil` when it must not be used again. */
  async use<T>(work: (connection: PgConnection) => Promise<T>): Promise<T> {
    const connection = await this.#pool.acquireConnection();
    try {
      return await work(connection);
    } catch (error) {
      this.#raiseAlarm(marked(error));
      throw error;
    } finally {
      await this.#pool.releaseConnection(connection);
    }
  }

  /** Raises the alarm for a database that is away. A full disk is reported by the writes below. */
  #raiseAlarm(error: unknown): void {
    if (isDatabaseAway(error)) this.alarm.raise(error);
  }

  /**
   * Ends the connection's statement when the signal aborts.
   * @returns stops that; resolves when no cancellation is on its way any more, which could hit the next statement
   */
  cancelOnAbort(
    connection: PgConnection,
    signal: AbortSignal | undefined,
    log: Logger,
  ): () => Promise<void> {
    let cancelling = Promise.resolve();
    const cancel = () => {
      cancelling = this.#pool.cancelQuery(connection).then(
        () => undefined,
        (error: unknown) => log.warn('A statement could not be cancelled.', { error }),
      );
    };
    signal?.addEventListener('abort', cancel, { once: true });
    return () => {
      signal?.removeEventListener('abort', cancel);
      return cancelling;
    };
  }
}
