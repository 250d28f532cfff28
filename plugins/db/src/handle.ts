import { type Clock, type Logger, RpcError, type SqliteFile } from '@svc/plugin-sdk';
import { Connection } from './connection.ts';
import { isRead, Job, leavesTraces, type Result, type Script } from './job.ts';
import type { Slots } from './slots.ts';

/** Rows of one answer at most (db.md §4.6). */
export const MAX_ROWS = 10_000;
/** Processes of one database: one that writes, and what reads beside it. */
const MAX_CONNECTIONS = 3;
/** A connection beside the primary one holds nothing that a new one would not have. */
const BESIDE_IDLE_MS = 30_000;
/** Texts of one database that wait; one more is refused. */
const MAX_WAITING = 1_000;

export interface Limits {
  readonly statement_timeout_ms: number;
  readonly wait_timeout_ms: number;
  readonly transaction_idle_ms: number;
}

export interface HandleOptions {
  readonly open: (file: string) => SqliteFile;
  readonly slots: Slots;
  /** Asks the other databases for a process. */
  readonly evict: () => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Limits;
}

/**
 * One database: who may run what on which connection. Texts that write, and those that depend on what was done
 * before, run one after the other on the primary connection; plain reads run beside them.
 */
export class Handle {
  file: string;
  readonly #options: HandleOptions;
  readonly #queue: Job<never>[] = [];
  readonly #connections: Connection[] = [];
  readonly #closing = new Set<Promise<void>>();
  /** One and the same function: who waits for a process is remembered by it. */
  readonly #retry = () => this.#pump();
  #primary: Connection | undefined;
  #alone = false;
  #gone: Error | undefined;
  used_at: number;

  constructor(file: string, options: HandleOptions) {
    this.file = file;
    this.#options = options;
    this.used_at = options.clock.now();
  }

  /** Some connection is open, or not closed yet. */
  get isOpen(): boolean {
    return this.#connections.length + this.#closing.size > 0;
  }

  get isBusy(): boolean {
    return this.#queue.length > 0 || this.#alone || this.#connections.some(({ idle }) => !idle);
  }

  /** @throws RpcError 999 after the wait for a connection; the driver's error */
  run(script: Script): Promise<Result> {
    const job = new Job<Result>(isRead(script.sql) ? 'read' : 'write', script);
    return this.#enter(job);
  }

  /** Runs `work` when every statement has ended and every connection is closed; whatever comes meanwhile waits. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(new Job<void>('alone'));
    try {
      await this.close();
      await Promise.all(this.#closing);
      return await work();
    } finally {
      this.#alone = false;
      this.#pump();
    }
  }

  /** Refuses everything that waits or comes: the database is deleted. Called by who is alone. */
  end(error: Error): void {
    this.#gone = error;
    for (const job of this.#queue.splice(0)) {
      job.begin();
      job.reject(error);
    }
  }

  /** Closes connections that nobody has used for `idle_ms`; those beside the primary one earlier. */
  rest(idle_ms: number): Promise<void> {
    const now = this.#options.clock.now();
    const allowed = (one: Connection) =>
      one === this.#primary ? idle_ms : Math.min(idle_ms, BESIDE_IDLE_MS);
    return this.#closeIdle((one) => now - one.used_at >= allowed(one));
  }

  /** Closes every connection that nobody uses. */
  close(): Promise<void> {
    return this.#closeIdle(() => true);
  }

  async #closeIdle(which: (one: Connection) => boolean): Promise<void> {
    const old = this.#connections.filter((one) => one.idle && which(one));
    await Promise.all(old.map((one) => this.#close(one)));
  }

  /** Closes one connection that nobody uses. @returns false when there is none */
  giveUpOne(): boolean {
    const idle = this.#connections.filter((connection) => connection.idle);
    const one = idle.find(({ traces }) => !traces) ?? idle[0];
    if (one) void this.#close(one);
    return one !== undefined;
  }

  #enter<T>(job: Job<T>): Promise<T> {
    this.used_at = this.#options.clock.now();
    if (this.#gone) return Promise.reject(this.#gone);
    const waiting = job as Job<never>;
    // Everybody may wait for one transaction: its owner must still get in to end it.
    const most = this.#owns(waiting) ? 2 * MAX_WAITING : MAX_WAITING;
    if (this.#queue.length >= most && job.kind !== 'alone')
      return Promise.reject(RpcError.other('too many statements wait for this database'));
    this.#queue.push(waiting);
    job.wait(this.#options.limits.wait_timeout_ms, () => {
      this.#leave(waiting);
      this.#pump();
    });
    this.#pump();
    return job.done;
  }

  #leave(job: Job<never>): void {
    const at = this.#queue.indexOf(job);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  /** Starts what can start, in order of arrival; reads overtake writes that wait. */
  #pump(): void {
    let writeWaits = false;
    let aloneWaits = false;
    for (const job of [...this.#queue]) {
      if (this.#alone) return;
      if (job.kind === 'alone') {
        const quiet = !aloneWaits && this.#connections.every(({ idle }) => idle);
        if (quiet && this.#queue[0] === job) this.#beAlone(job);
        else aloneWaits = true;
        continue;
      }
      const connection =
        aloneWaits && !this.#owns(job) ? undefined : this.#connectionFor(job, writeWaits);
      if (connection) void this.#start(job, connection);
      else if (job.kind === 'write') writeWaits = true;
    }
  }

  #beAlone(job: Job<never>): void {
    this.#alone = true;
    this.#leave(job);
    job.begin();
    (job as unknown as Job<void>).resolve();
  }

  /** The transaction that is open belongs to this caller. */
  #owns({ script }: Job<never>): boolean {
    const owner = this.#primary?.owner;
    return owner !== undefined && owner === script?.owner;
  }

  #connectionFor(job: Job<never>, writeWaits: boolean): Connection | undefined {
    const primary = this.#primary;
    if (this.#owns(job)) return primary?.job ? undefined : primary;
    const free = primary?.idle ? primary : undefined;
    const bound = primary?.traces && primary.owner === undefined;
    if (job.kind === 'read') return free ?? (bound ? undefined : this.#another());
    // Another's transaction, or another text that writes: the database has one writer.
    if (writeWaits || primary?.owner !== undefined || primary?.job?.kind === 'write')
      return undefined;
    const chosen = free ?? (bound ? undefined : this.#another());
    if (chosen) this.#primary = chosen;
    return chosen;
  }

  /** A connection beside the primary one: an idle one or a new one. */
  #another(): Connection | undefined {
    const idle = this.#connections.find((one) => one !== this.#primary && one.idle);
    if (idle || this.#connections.length >= MAX_CONNECTIONS) return idle;
    const { slots, evict, open, clock } = this.#options;
    if (!slots.take(this.#retry, evict)) return undefined;
    const made = new Connection(open(this.file), clock.now());
    this.#connections.push(made);
    this.#primary ??= made;
    return made;
  }

  async #start(job: Job<never>, connection: Connection): Promise<void> {
    const script = job.script as Script;
    this.#leave(job);
    job.begin();
    connection.job = job;
    connection.cancel?.();
    connection.cancel = undefined;
    try {
      const result = await connection.file.execute(script.sql, script.params, {
        maxRows: MAX_ROWS,
        timeout_ms: this.#options.limits.statement_timeout_ms,
        signal: script.signal,
      });
      connection.owner = result.inTransaction ? script.owner : undefined;
      (job as unknown as Job<Result>).resolve(result);
    } catch (error) {
      await this.#lookAfterFailure(connection);
      job.reject(error);
    } finally {
      connection.traces ||= leavesTraces(script.sql);
      this.#finish(connection);
    }
  }

  /** A text that failed may have ended the transaction all the same: others need not wait for its owner then. */
  async #lookAfterFailure(connection: Connection): Promise<void> {
    const { file, owner } = connection;
    if (owner === undefined || !file.usable) return;
    const limits = { maxRows: 0, timeout_ms: this.#options.limits.statement_timeout_ms };
    try {
      const { inTransaction } = await file.execute('', [], limits);
      if (!inTransaction) connection.owner = undefined;
    } catch (error) {
      this.#options.log.warn('a connection failed after a failed text', { file: this.file, error });
    }
  }

  #finish(connection: Connection): void {
    const { clock, limits, slots } = this.#options;
    connection.job = undefined;
    connection.used_at = clock.now();
    this.used_at = connection.used_at;
    // What is not primary must leave nothing behind that later texts could miss.
    const astray = connection !== this.#primary && connection.owner !== undefined;
    if (!connection.file.usable || astray) {
      void this.#close(connection);
    } else if (connection.owner !== undefined) {
      const idle_ms = limits.transaction_idle_ms;
      connection.cancel = clock.timeout(() => this.#rollBack(connection), idle_ms);
    }
    this.#pump();
    if (slots.wanted && connection.idle && this.#connections.includes(connection)) {
      void this.#close(connection);
    }
  }

  /** Nobody went on with this transaction, and others wait: its connection is closed, which ends it. */
  #rollBack(connection: Connection): void {
    if (connection.job || connection.owner === undefined) return;
    this.#options.log.warn('a transaction was left open and is rolled back', { file: this.file });
    connection.owner = undefined;
    void this.#close(connection);
  }

  #close(connection: Connection): Promise<void> {
    const at = this.#connections.indexOf(connection);
    if (at < 0) return Promise.resolve();
    this.#connections.splice(at, 1);
    if (this.#primary === connection) this.#primary = undefined;
    connection.cancel?.();
    const closed = connection.file
      .close()
      .catch((error: unknown) =>
        this.#options.log.warn('a database was not closed in order', { file: this.file, error }),
      )
      .then(() => {
        this.#closing.delete(closed);
        this.#options.slots.give();
        this.#pump();
      });
    this.#closing.add(closed);
    return closed;
  }
}
