import {
  type Database,
  type GuardedTables,
  type Logger,
  type Plugin,
  type Principal,
  RpcError,
} from '@svc/plugin-sdk';

/** Chooses what runs the SQL of a caller on the main database: only the Super Token reaches every table. */
export class GuardedSql {
  readonly #db: Database;
  #guarded: Database['execute'] | undefined;
  #reason = 'the server is starting';

  constructor(db: Database) {
    this.#db = db;
  }

  /** Asks the database to keep callers from these tables; where it cannot, the log says why. */
  async open(tables: GuardedTables, log: Logger): Promise<void> {
    try {
      this.#guarded = await this.#db.guard?.(tables);
      this.#reason = 'the driver of this database keeps no tables apart';
    } catch (error) {
      this.#reason = (error as Error).message;
    }
    if (this.#guarded) return;
    log.warn('exec_sql is open to the Super Token only', { reason: this.#reason });
  }

  /** @throws RpcError 102 for a caller without the Super Token where the database cannot keep tables apart */
  readonly runner = (caller: Principal): Database['execute'] => {
    if (caller.super) return (...call) => this.#db.execute(...call);
    if (this.#guarded) return this.#guarded;
    throw RpcError.denied(
      `Permission Denied: SQL is open to the Super Token only on this server: ${this.#reason}`,
    );
  };
}

/** What the plugins guard, and what the operator adds as secret. */
export const guardsOf = (plugins: readonly Plugin[], more: readonly string[]): GuardedTables =>
  Object.assign(
    {},
    ...plugins.map(({ guards }) => guards),
    ...more.map((table) => ({ [table]: 'secret' })),
  );
