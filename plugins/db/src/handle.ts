import type { SqliteFile } from '@svc/plugin-database-sqlite/api';
import { RpcError } from '@svc/plugin-sdk';
import { Connection, type Event as ConnectionEvent, type ConnectionOptions } from './connection.ts';
import { Job, type Result, type Script } from './job.ts';
import type { Slots } from './slots.ts';

/** Connections of one database: one that writes, and others that read at the same time. */
const MAX_CONNECTIONS = 3;
/** More of them, for tokens of which no text runs here. */
const SPARE_CONNECTIONS = 2;
/** A connection other than the primary one holds nothing that a new one would not have. */
const BESIDE_IDLE_MS = 30_000;
/** Texts of one token that wait for one database; one more is refused. */
const MAX_WAITING = 1_000;
/** Texts of all tokens: beyond this only a token of which none waits gets in. */
const MAX_WAITING_OF_ALL = 4_000;

let lastId = 0;

/** States of a database. The README has the diagram. */
export type State = 'open' | 'exclusive' | 'deleted';

/** `taken`: work begins that must be alone. `released`: it has ended. `deleted`: the registry has forgotten the database. */
export type Event = 'taken' | 'released' | 'deleted';

/** Every transition there is. */
export const transitions: { readonly [S in State]: { readonly [E in Event]?: State } } = {
  open: { taken: 'exclusive' },
  exclusive: { released: 'open', deleted: 'deleted' },
  deleted: {},
};

/** The state after an event. An event that the state does not name changes nothing. */
export const next = (state: State, event: Event): State => transitions[state][event] ?? state;

export interface HandleOptions extends Pick<ConnectionOptions, 'clock' | 'log' | 'limits'> {
  readonly open: (file: string) => SqliteFile;
  readonly slots: Slots;
  /** Asks the other databases to give up a process. */
  readonly evict: () => void;
}

/**
 * One database: decides which text runs when, and on which connection. Texts that write, and those that depend on what was done
 * before, run one after the other on the primary connection; plain reads run at the same time.
 */
export class Handle {
  file: string;
  used_at: number;
  readonly #options: HandleOptions;
  readonly #queue: Job[] = [];
  readonly #connections = new Set<Connection>();
  /** One function for the life of the handle: the slots recognise a waiting handle by it. */
  readonly #retry = () => this.#pump();
  readonly #id = ++lastId;
  #state: State = 'open';
  #primary: Connection | undefined;
  #isPumping = false;
  #deleted: Error | undefined;

  constructor(file: string, options: HandleOptions) {
    this.file = file;
    this.#options = options;
    this.used_at = options.clock.now();
  }

  /** Some connection is not closed yet. */
  get isOpen(): boolean {
    return this.#connections.size > 0;
  }

  get isBusy(): boolean {
    return this.#queue.length > 0 || this.#state === 'exclusive' || !this.#isQuiet;
  }

  /** @throws RpcError 999 after the wait for a connection; the driver's error */
  run(script: Script): Promise<Result> {
    return this.#enter(new Job(script)) as Promise<Result>;
  }

  /** Runs `work` when every text has ended and every connection is closed; texts that come meanwhile wait. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(new Job());
    try {
      await this.close();
      return await work();
    } finally {
      this.#state = next(this.#state, 'released');
      this.#pump();
    }
  }

  /** The database is deleted: refuses every text that waits or comes. Called by exclusive work. */
  end(error: Error): void {
    this.#state = next(this.#state, 'deleted');
    this.#deleted = error;
    for (const job of this.#queue.splice(0)) job.refuse(error);
  }

  /** Closes connections that were not used for `idle_ms`; those other than the primary one earlier. */
  closeUnused(idle_ms: number): Promise<void> {
    const now = this.#options.clock.now();
    const allowed = (one: Connection) =>
      one === this.#primary ? idle_ms : Math.min(idle_ms, BESIDE_IDLE_MS);
    return this.#retire((one) => now - one.used_at >= allowed(one));
  }

  /** Closes every idle connection, and waits for those that are being closed. */
  close(): Promise<void> {
    return this.#retire(() => true);
  }

  /** Closes one idle connection. @returns false when there is none */
  giveUpOne(): boolean {
    const idle = [...this.#connections].filter(({ isIdle }) => isIdle);
    const one = idle.find(({ hasTraces }) => !hasTraces) ?? idle[0];
    void one?.retire();
    return one !== undefined;
  }

  async #retire(which: (one: Connection) => boolean): Promise<void> {
    const old = [...this.#connections].filter(which);
    await Promise.all(old.map((one) => one.retire()));
  }

  get #isQuiet(): boolean {
    return [...this.#connections].every(({ isIdle, state }) => isIdle || state === 'closing');
  }

  #enter(job: Job): Promise<Result | undefined> {
    const { clock, limits } = this.#options;
    this.used_at = clock.now();
    if (this.#deleted) return Promise.reject(this.#deleted);
    const own = this.#queue.filter(({ share }) => share === job.share).length;
    const isFull = own >= (this.#queue.length >= MAX_WAITING_OF_ALL ? 1 : MAX_WAITING);
    if (isFull && job.kind !== 'exclusive') {
      return Promise.reject(RpcError.other('too many statements wait for this database'));
    }
    this.#queue.push(job);
    job.wait(limits.wait_timeout_ms, () => {
      this.#removeFromQueue(job);
      this.#pump();
    });
    this.#pump();
    return job.done;
  }

  #removeFromQueue(job: Job): void {
    const at = this.#queue.indexOf(job);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  #pump(): void {
    if (this.#isPumping || this.#state !== 'open') return;
    this.#isPumping = true;
    this.#startJobs();
    this.#isPumping = false;
  }

  /** Jobs by token, in order of arrival; exclusive work and what came after it stay after what came before. */
  #inOrder(): Job[] {
    const at = this.#queue.findIndex(({ script }) => !script);
    const before = at < 0 ? this.#queue : this.#queue.slice(0, at);
    return [...this.#options.slots.order(before), ...(at < 0 ? [] : this.#queue.slice(at))];
  }

  /** Starts what can start. Reads overtake writes that wait; nothing but an owner's text overtakes exclusive work. */
  #startJobs(): void {
    let writeWaits = false;
    let exclusiveWaits = false;
    for (const job of this.#inOrder()) {
      if (!job.script) {
        if (this.#isQuiet && this.#queue[0] === job) {
          this.#state = next(this.#state, 'taken');
          this.#removeFromQueue(job);
          job.begin();
          return;
        }
        exclusiveWaits = true;
        continue;
      }
      const mayStart = !exclusiveWaits || this.#owns(job);
      const connection = mayStart ? this.#connectionFor(job, writeWaits) : undefined;
      if (connection) {
        if (connection.share === undefined) this.#options.slots.acquire(job.share);
        connection.share ??= job.share;
        this.#removeFromQueue(job);
        job.begin(connection.run(job.script, job.kind === 'write'));
      } else if (job.kind === 'write') writeWaits = true;
    }
  }

  /** The open transaction belongs to this job's caller. */
  #owns({ script }: Job): boolean {
    const owner = this.#primary?.owner;
    return owner !== undefined && owner === script?.owner;
  }

  #connectionFor(job: Job, writeWaits: boolean): Connection | undefined {
    const primary = this.#primary;
    if (this.#owns(job)) return primary?.state === 'transaction' ? primary : undefined;
    if (!this.#options.slots.hasPlace(job.share, { id: this.#id, retry: this.#retry }))
      return undefined;
    const free = primary?.isIdle ? primary : undefined;
    const mustUsePrimary = primary?.hasTraces && primary.owner === undefined;
    if (job.kind === 'read') return free ?? (mustUsePrimary ? undefined : this.#another(job.share));
    // The database has one writer: another caller's transaction, or another text that writes, goes first.
    if (writeWaits || primary?.owner !== undefined) return undefined;
    if (primary?.writes && !free) return undefined;
    const chosen = free ?? (mustUsePrimary ? undefined : this.#another(job.share));
    if (chosen) this.#primary = chosen;
    return chosen;
  }

  /** A connection other than the primary one: an idle one or a new one. */
  #another(share: string): Connection | undefined {
    const open = [...this.#connections].filter(({ state }) => state !== 'closing');
    const idle = open.find((one) => one !== this.#primary && one.isIdle);
    const isNew = open.every((one) => one.share !== share);
    if (idle || open.length >= MAX_CONNECTIONS + (isNew ? SPARE_CONNECTIONS : 0)) return idle;
    const { slots, evict, open: openFile } = this.#options;
    if (!slots.open(this.#retry, evict)) return undefined;
    const made = new Connection(openFile(this.file), {
      ...this.#options,
      path: this.file,
      isPrimary: (one) => one === this.#primary,
      changed: (one, event) => this.#changed(one, event),
    });
    this.#connections.add(made);
    this.#primary ??= made;
    return made;
  }

  #changed(connection: Connection, event: ConnectionEvent): void {
    const { clock, slots } = this.#options;
    const { share, state } = connection;
    if (share !== undefined && (state === 'idle' || state === 'closing')) {
      connection.share = undefined;
      slots.release(share);
    }
    if (state === 'idle' || state === 'transaction') this.used_at = clock.now();
    else if (state === 'closing' && this.#primary === connection) this.#primary = undefined;
    else if (state === 'closed') {
      this.#connections.delete(connection);
      slots.closed();
    }
    if (event !== 'start' && event !== 'failed' && event !== 'retired') this.#pump();
    if (slots.wanted && connection.isIdle) void connection.retire();
  }
}
