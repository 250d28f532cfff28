import { type Database, type Logger, type Plugin, type Principal, RpcError } from '@svc/plugin-sdk';
import type { GuardedTables, SqlCaller } from '@svc/plugin-sdk/sql';

type Execute = Database['execute'];

/** Chooses what runs the SQL of a caller on the main database: no caller's changes a sealed table. */
export class GuardedSql {
  readonly #db: Database;
  readonly #runners: { [caller in SqlCaller]?: Execute } = {};
  readonly #reasons = { super: 'the server is starting', token: 'the server is starting' };

  constructor(db: Database) {
    this.#db = db;
  }

  /** Asks the database to keep callers from these tables; where it cannot, the log says why. */
  async open(tables: Readonly<Record<SqlCaller, GuardedTables>>, log: Logger): Promise<void> {
    for (const caller of ['super', 'token'] as const) {
      try {
        const runner = await this.#db.guard?.(tables[caller], caller);
        if (runner) this.#runners[caller] = runner;
        this.#reasons[caller] = 'the driver of this database keeps no tables apart';
      } catch (error) {
        this.#reasons[caller] = (error as Error).message;
      }
    }
    const { super: all, token } = this.#runners;
    const reason = all ? this.#reasons.token : this.#reasons.super;
    if (all && token) return;
    log.warn(all ? 'exec_sql is open to the Super Token only' : 'exec_sql is closed', { reason });
  }

  /** @throws RpcError 102 where the database cannot keep tables from this caller */
  readonly runner = (caller: Principal): Execute => {
    const kind = caller.super ? 'super' : 'token';
    const runner = this.#runners[kind];
    if (runner) return runner;
    const who = this.#runners.super ? 'open to the Super Token only' : 'closed';
    throw RpcError.denied(
      `Permission Denied: SQL is ${who} on this server: ${this.#reasons[kind]}`,
    );
  };
}

/** Returns the tables that the plugins guard and seal, and what the operator adds as secret. */
export const guardsOf = (
  plugins: readonly Plugin[],
  more: readonly string[],
): Record<SqlCaller, GuardedTables> => {
  const guards: GuardedTables = Object.assign({}, ...plugins.map(({ guards }) => guards));
  const sealed: GuardedTables = Object.fromEntries([
    ...Object.entries(guards).filter(([, kind]) => kind === 'counter'),
    ...plugins.flatMap(({ seals = [] }) => seals.map((table) => [table, 'fixed'] as const)),
  ]);
  const secret = Object.fromEntries(more.map((table) => [table, 'secret'] as const));
  return { super: sealed, token: { ...sealed, ...guards, ...secret } };
};
