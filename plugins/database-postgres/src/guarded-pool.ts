import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ShareRules, Turns } from '@svc/fair-turns';
import type { Database, Logger } from '@svc/plugin-sdk';
import {
  closeQueryBuilder,
  codeOf,
  type DatabaseAlarm,
  type GivenOptions,
  queryBuilderSettings,
  SerialQueue,
} from '@svc/plugin-sdk/driver';
import type { QueryBuilder } from '@svc/plugin-sdk/sql';
import knexFactory, { type Knex } from 'knex';
import { connectionSettings, PgPool, type SessionSettings } from './connection.ts';
import { execute } from './execute.ts';
import type { GuardedRole } from './guarded-role.ts';
import { inOwnTurn, refuseText } from './guarded-text.ts';
import { postgresClient } from './knex-client.ts';
import type { PgConnection } from './quirks.ts';

/** Connections of all such callers together, and spare ones for those that have none. */
const CONNECTIONS = 2;
const SPARE = 2;
const IDLE_MS = 30_000;
/** A password is good for one login, which another server's may overtake. */
const PASSWORD_S = 15;
const LOGIN_TRIES = 10;

export interface GuardedPoolOptions extends Pick<ShareRules, 'standing'> {
  /** The pool of the database's own user. */
  readonly owner: QueryBuilder;
  readonly url: string;
  readonly options: GivenOptions;
  readonly session: SessionSettings;
  readonly alarm: DatabaseAlarm;
  readonly log: Logger;
}

/**
 * Connections of callers who are kept from tables. Each is a login of its own: what a text undoes in its session (`reset
 * role`, a function that sets it) leads back to the role without rights.
 */
export class GuardedPool {
  readonly #knex: Knex;
  readonly #pool: PgPool;
  readonly #role: GuardedRole;
  readonly #log: Logger;
  readonly #turns: Turns;

  constructor(
    role: GuardedRole,
    { owner, url, options, session, alarm, log, standing }: GuardedPoolOptions,
  ) {
    this.#turns = new Turns({ most: () => CONNECTIONS, spare: () => SPARE, standing });
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
    const search_path = `${quoted(role.name)}, ${quoted(role.schema)}`;
    const settings = { ...session, search_path };
    const connection = connectionSettings(url, { mode: 'serve', options });
    this.#role = role;
    this.#log = log;
    this.#knex = knexFactory({
      ...queryBuilderSettings(log),
      client: loginClient(postgresClient(settings, alarm), () => freshLogin(owner, role.name, url)),
      connection: connection as Knex.PgConnectionConfig,
      pool: { min: 0, max: CONNECTIONS + SPARE, idleTimeoutMillis: IDLE_MS },
    });
    this.#pool = new PgPool(this.#knex, settings, alarm);
  }

  readonly execute: Database['execute'] = async (sql, params, options) => {
    if (this.#role.caller === 'token') await inOwnTurn(sql, refuseText);
    const { timeout_ms, share = '', signal } = options;
    const late = () => new Error(`no connection was free within ${timeout_ms} ms`);
    try {
      return await this.#turns.run(share, { timeout_ms, late, signal }, () =>
        execute(this.#pool, sql, params, options, this.#log),
      );
    } catch (error) {
      if (!isLoginFault((error as Error).cause)) throw refusedRight(error);
      const reason = ((error as Error).cause as Error).message;
      this.#log.warn('a role of exec_sql cannot log in', { role: this.#role.name, reason });
      throw new Error(
        `SQL is closed on this server: the role ${this.#role.name} cannot log in: ${reason}`,
      );
    }
  };

  close(): Promise<void> {
    return closeQueryBuilder(this.#knex, this.#log);
  }
}

const NO_RIGHT = ['42501', '25006'];

/** The same error; one for a missing right says so in one word of ours, whatever language the database speaks. */
export function refusedRight(error: unknown, reason = ''): unknown {
  if (!NO_RIGHT.includes(codeOf(error))) return error;
  return new Error(`not authorized: ${(error as Error).message}${reason}`, { cause: error });
}

const isLoginFault = (error: unknown): boolean => codeOf(error).startsWith('28');

/** Another server gave the role its own password, or is just doing so ("tuple concurrently updated"). */
const isOvertaken = (error: unknown): boolean =>
  isLoginFault(error) || codeOf((error as Error).cause) === 'XX000';

/** A client whose every connection asks for a login of its own, one after the other. */
function loginClient(base: typeof Knex.Client, login: () => Promise<string>): typeof Knex.Client {
  const logins = new SerialQueue();
  return class LoginClient extends base {
    override acquireRawConnection(): Promise<PgConnection> {
      return logins.run(() => this.#login());
    }

    async #login(): Promise<PgConnection> {
      for (let tries = 1; ; tries++) {
        try {
          this.connectionSettings = { ...this.connectionSettings, connectionString: await login() };
          return (await super.acquireRawConnection()) as PgConnection;
        } catch (error) {
          if (tries === LOGIN_TRIES || !isOvertaken(error)) throw error;
        }
        await delay(tries * 20 * Math.random());
      }
    }
  };
}

/** Gives the role a password for the next seconds. @returns the address with which it logs in */
async function freshLogin(owner: QueryBuilder, role: string, url: string): Promise<string> {
  const password = randomBytes(24).toString('hex');
  await owner.transaction(async (trx) => {
    // Not in the text, which the log may show.
    await trx.raw("select set_config('svc.password', ?, true)", [password]);
    await trx.raw(`do $do$ begin
      alter role ${role} reset all;
      execute format('alter role ${role} login password %L valid until %L',
        current_setting('svc.password'), clock_timestamp() + interval '${PASSWORD_S} s');
    end $do$`);
  });
  // These win over what stands before the host, also in an address without one.
  return `${url}${url.includes('?') ? '&' : '?'}user=${role}&password=${password}`;
}
