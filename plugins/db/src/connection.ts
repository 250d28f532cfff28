import type { SqliteFile } from '@svc/plugin-database-sqlite/api';
import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Result, Script } from './job.ts';
import { leavesTraces } from './sql-text.ts';

/** Rows of one answer at most (db.md §4.6). */
export const MAX_ROWS = 10_000;

/** States of one connection of a database. The README has the diagram, and the meaning and deadline of each state. */
export type State = 'idle' | 'running' | 'checking' | 'transaction' | 'closing' | 'closed';

/**
 * `start`: a text begins. `ended`, `held`: a text has ended, without and with an open transaction. `failed`: a text inside a
 * transaction failed. `broken`: the connection must not be used again. `expired`: the owner of the transaction was silent for too
 * long. `retired`: the connection is not needed. `closed`: its process has ended.
 */
export type Event =
  | 'start'
  | 'ended'
  | 'held'
  | 'failed'
  | 'broken'
  | 'expired'
  | 'retired'
  | 'closed';

/** Every transition there is. */
export const transitions: { readonly [S in State]: { readonly [E in Event]?: State } } = {
  idle: { start: 'running', retired: 'closing' },
  running: { ended: 'idle', held: 'transaction', failed: 'checking', broken: 'closing' },
  checking: { ended: 'idle', held: 'transaction', broken: 'closing' },
  transaction: { start: 'running', expired: 'closing' },
  closing: { closed: 'closed' },
  closed: {},
};

/** The state after an event. An event that the state does not name changes nothing. */
export const next = (state: State, event: Event): State => transitions[state][event] ?? state;

export interface Limits {
  readonly statement_timeout_ms: number;
  readonly wait_timeout_ms: number;
  readonly transaction_idle_ms: number;
  /** 0: no limit. */
  readonly max_database_bytes: number;
}

export interface ConnectionOptions {
  /** Path of the database, for the log. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Limits;
  /** Tells whether a connection is the primary one, which alone may keep a transaction open. */
  readonly isPrimary: (connection: Connection) => boolean;
  /** The state has changed. */
  readonly changed: (connection: Connection, event: Event) => void;
}

/** One connection of a database, in a process of its own. Only `#on` changes its state. */
export class Connection {
  state: State = 'idle';
  /** The caller to whom the open transaction belongs, also while a text runs in it. */
  owner: string | undefined;
  /** The running text, or the last one, writes or depends on earlier texts. */
  writes = false;
  /** Something in the connection outlives a text: a temporary table, an option. */
  hasTraces = false;
  /** The token whose place its text or transaction holds. */
  share: string | undefined;
  /** Clock's ms of the last use. */
  used_at: number;
  /** Resolves when the process has ended. */
  readonly closed: Promise<void>;
  readonly #file: SqliteFile;
  readonly #options: ConnectionOptions;
  readonly #resolveClosed: () => void;
  #cancelDeadline: (() => void) | undefined;

  constructor(file: SqliteFile, options: ConnectionOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.#file = file;
    this.#options = options;
    this.used_at = options.clock.now();
  }

  get isIdle(): boolean {
    return this.state === 'idle';
  }

  /** Runs a text; the state must be `idle` or `transaction`. @throws the driver's error */
  async run(script: Script, writes: boolean): Promise<Result> {
    this.writes = writes;
    this.#on('start');
    let owner: string | undefined;
    try {
      const result = await this.#execute(script);
      if (result.inTransaction) owner = script.owner;
      return result;
    } catch (error) {
      owner = await this.#ownerAfterFailure();
      throw error;
    } finally {
      this.hasTraces ||= leavesTraces(script.sql);
      this.#end(owner);
    }
  }

  /** Closes the connection if it is idle. @returns resolves when it is closed, at once when it is in use */
  async retire(): Promise<void> {
    this.#on('retired');
    if (this.state === 'closing') await this.closed;
  }

  #execute({ sql, params, signal }: Pick<Script, 'sql' | 'params' | 'signal'>): Promise<Result> {
    const { statement_timeout_ms: timeout_ms, max_database_bytes: max_bytes } =
      this.#options.limits;
    const yields = !this.writes;
    return this.#file.execute(sql, params, {
      maxRows: MAX_ROWS,
      timeout_ms,
      max_bytes,
      signal,
      yields,
    });
  }

  /** A text that failed may have ended its transaction all the same; other callers need not wait for the owner then. */
  async #ownerAfterFailure(): Promise<string | undefined> {
    const { owner } = this;
    if (owner === undefined || !this.#file.usable) return owner;
    this.#on('failed');
    try {
      const { inTransaction } = await this.#execute({ sql: '', params: [], signal: NEVER });
      return inTransaction ? owner : undefined;
    } catch (error) {
      const { log, path } = this.#options;
      log.warn('a connection failed after a failed text', { file: path, error });
      return owner;
    }
  }

  #end(owner: string | undefined): void {
    this.owner = owner;
    this.used_at = this.#options.clock.now();
    const isMisplaced = owner !== undefined && !this.#options.isPrimary(this);
    const isSlow = this.#file.slowed && owner === undefined && !this.hasTraces;
    const isBroken = !this.#file.usable || isMisplaced || isSlow;
    this.#on(isBroken ? 'broken' : owner === undefined ? 'ended' : 'held');
  }

  /** The transition: the only place where the state changes. */
  #on(event: Event): void {
    const to = next(this.state, event);
    if (to === this.state) return;
    const { clock, limits, changed } = this.#options;
    this.#cancelDeadline?.();
    this.state = to;
    if (to === 'transaction') {
      this.#cancelDeadline = clock.timeout(() => this.#expire(), limits.transaction_idle_ms);
    } else if (to === 'closing') {
      this.owner = undefined;
      void this.#close();
    } else if (to === 'closed') this.#resolveClosed();
    changed(this, event);
  }

  #expire(): void {
    const { log, path } = this.#options;
    log.warn('a transaction was left open and is rolled back', { file: path });
    this.#on('expired');
  }

  /** Never rejects. */
  async #close(): Promise<void> {
    try {
      await this.#file.close();
    } catch (error) {
      const { log, path } = this.#options;
      log.warn('a database was not closed in order', { file: path, error });
    }
    this.#on('closed');
  }
}

const NEVER = new AbortController().signal;
