import type { Integer } from '@svc/plugin-sdk';
import { type Job, jobAt, jobOf, type Moment } from './job.ts';
import type { JobRow, JobStore, Stamp } from './store/jobs.ts';

export interface JobsOptions {
  readonly store: JobStore;
  readonly now: () => number;
  /** A row cannot be parsed: it is not listed and never runs. */
  readonly unreadable: (row: JobRow, error: unknown) => void;
}

/** All readable jobs in memory. Changes go to the table first; rows that other servers changed are read again. */
export class Jobs {
  readonly #options: JobsOptions;
  #startedAt: number;
  readonly #jobs = new Map<Integer, Job>();
  /** Versions of rows that cannot be parsed. */
  readonly #unreadable = new Map<Integer, number>();
  /** For each reading that is under way: the jobs that changed meanwhile; what it reads of them is old. */
  readonly #reads = new Set<Set<Integer>>();
  #sorted: readonly Job[] | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  get(id: Integer): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Ascending by id. */
  list(): readonly Job[] {
    this.#sorted ??= [...this.#jobs.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    return this.#sorted;
  }

  values(): Iterable<Job> {
    return this.#jobs.values();
  }

  /** Takes a row that was just written or read. */
  put(row: JobRow): void {
    this.#touch(row.id);
    this.#remember(row);
  }

  forget(id: Integer): void {
    this.#touch(id);
    this.#drop(id);
  }

  /** A run was claimed by a server. */
  ran(id: Integer, at: number, claimed_by: string): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    this.#touch(id);
    this.#set(jobAt({ ...job, last_run_time: at, claimed_by }, this.#moment()));
  }

  /** The clock went back: times that now lie ahead of it do not hold jobs up. */
  rebase(): void {
    this.#startedAt = Math.min(this.#startedAt, this.#options.now());
    const moment = { ...this.#moment(), ahead_ms: 0 };
    for (const job of [...this.#jobs.values()]) this.#set(jobAt(job, moment));
  }

  /** Reads every row. @throws RpcError 103 */
  async reload(): Promise<void> {
    await this.#reading(async () => {
      const rows = await this.#options.store.all();
      return { rows, present: new Set(rows.map(({ id }) => id)) };
    });
  }

  /** Reads the rows that have changed. @throws RpcError 103 */
  async refresh(): Promise<void> {
    await this.#reading(async () => {
      const stamps = await this.#options.store.stamps();
      const rows = await this.#options.store.byIds(
        stamps.filter((stamp) => this.#isNew(stamp)).map(({ id }) => id),
      );
      return { rows, present: new Set(stamps.map(({ id }) => id)) };
    });
  }

  /** Reads these rows. @throws RpcError 103 */
  async reread(ids: readonly Integer[]): Promise<void> {
    await this.#reading(async () => {
      const rows = await this.#options.store.byIds(ids);
      const present = new Set(this.#jobs.keys());
      for (const id of ids) present.delete(id);
      for (const { id } of rows) present.add(id);
      return { rows, present };
    });
  }

  async #reading(
    read: () => Promise<{ rows: readonly JobRow[]; present: ReadonlySet<Integer> }>,
  ): Promise<void> {
    const touched = new Set<Integer>();
    this.#reads.add(touched);
    try {
      const before = new Set([...this.#jobs.keys(), ...this.#unreadable.keys()]);
      const { rows, present } = await read();
      for (const row of rows) if (!touched.has(row.id)) this.#remember(row);
      for (const id of before) if (!present.has(id) && !touched.has(id)) this.#drop(id);
    } finally {
      this.#reads.delete(touched);
    }
  }

  #isNew(stamp: Stamp): boolean {
    const job = this.#jobs.get(stamp.id);
    if (!job) return this.#unreadable.get(stamp.id) !== stamp.version;
    return STAMP.some((column) => job[column] !== stamp[column]);
  }

  #remember(row: JobRow): void {
    const job = this.#jobs.get(row.id);
    // Two reads may end in the other order.
    if (job && job.version > row.version) return;
    if (job && isSame(job, row)) {
      this.#set({ ...job, claimed_by: row.claimed_by });
      return;
    }
    try {
      this.#set(jobOf(row, this.#moment()));
      this.#unreadable.delete(row.id);
    } catch (error) {
      this.#drop(row.id);
      this.#unreadable.set(row.id, row.version);
      this.#options.unreadable(row, error);
    }
  }

  #set(job: Job): void {
    this.#jobs.set(job.id, job);
    this.#sorted = undefined;
  }

  #drop(id: Integer): void {
    this.#unreadable.delete(id);
    if (this.#jobs.delete(id)) this.#sorted = undefined;
  }

  #touch(id: Integer): void {
    for (const touched of this.#reads) touched.add(id);
  }

  #moment(): Moment {
    return { now: this.#options.now(), startedAt: this.#startedAt };
  }
}

const STAMP = ['version', 'last_run_time', 'claimed_by'] as const;
/** What decides when a job is due. */
const CONTENT = [
  'version',
  'last_run_time',
  'enable',
  'name',
  'cron_expression',
  'cron_type',
  'start_time',
] as const;

const isSame = (job: Job, row: JobRow): boolean =>
  CONTENT.every((column) => job[column] === row[column]);
