import { setImmediate } from 'node:timers/promises';
import type { Integer } from '@svc/plugin-sdk/sql';
import { Contents, jobOf } from './contents.ts';
import { digestOf, dueOf, type Job, type Moment, type Planned, type Timed } from './job.ts';
import type { JobStore, PlanRow, Stamp } from './store/jobs.ts';

/** Rows of one read. */
const PAGE = 1_000;
/** Expressions of 10,000 characters take milliseconds each: others get their turns meanwhile. */
const SLICE_MS = 10;
/** Jobs that are due later are not checked each time. */
const SOON_MS = 60_000;

export interface JobsOptions {
  readonly store: JobStore;
  readonly now: () => number;
  /** A row cannot be parsed: it is not listed and never runs. */
  readonly unreadable: (row: PlanRow, error: unknown) => void;
}

/**
 * Times of all jobs; their contents are read when they run. Changes go to the table first; rows that other servers changed
 * are read again.
 */
export class Jobs {
  readonly #options: JobsOptions;
  #startedAt: number;
  readonly #jobs = new Map<Integer, Planned>();
  /** Jobs that are due before the horizon. */
  readonly #soon = new Map<Integer, Planned>();
  #horizon = 0;
  #contents = new Contents();
  /** Versions of rows that cannot be parsed. */
  readonly #unreadable = new Map<Integer, number>();
  /** Jobs that changed during each reading that is under way; what it reads of them is old. */
  readonly #reads = new Set<Set<Integer>>();

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  get(id: Integer): Planned | undefined {
    return this.#jobs.get(id);
  }

  values(): Iterable<Planned> {
    return this.#jobs.values();
  }

  /** Jobs whose time comes within a minute or has come. */
  soon(): Iterable<Planned> {
    const now = this.#options.now();
    if (now > this.#horizon - SOON_MS / 2) {
      this.#horizon = now + SOON_MS;
      this.#soon.clear();
      for (const job of this.#jobs.values())
        if (job.due < this.#horizon) this.#soon.set(job.id, job);
    }
    return this.#soon.values();
  }

  /** Reads the contents of a job. @returns undefined when it has gone, or cannot be read. @throws RpcError 103 */
  async read(id: Integer): Promise<Job | undefined> {
    const planned = this.#jobs.get(id);
    const contents = this.#contents;
    const cached = planned && contents.get(id, planned.version);
    if (cached) return { ...cached, ...planned };
    const [row] = await this.#options.store.byIds([id]);
    if (!row) return undefined;
    try {
      const job = jobOf(row);
      contents.put(job);
      return job;
    } catch (error) {
      this.#unreadableNow(row, error);
      return undefined;
    }
  }

  /** Stores a row that was just written or read. */
  put(row: PlanRow): void {
    this.#touch(row.id);
    this.#remember(row);
  }

  forget(id: Integer): void {
    this.#touch(id);
    this.#drop(id);
  }

  /** A run was claimed by a server. */
  recordRun(id: Integer, at: number, claimed_by: string): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    this.#touch(id);
    this.#set(this.#planned({ ...job, last_run_time: at, claimed_by }));
  }

  /** The clock went back: times that now lie ahead of it do not hold jobs up. */
  async rebase(): Promise<void> {
    this.#startedAt = Math.min(this.#startedAt, this.#options.now());
    this.#horizon = 0;
    await inSlices([...this.#jobs.keys()], (id) => {
      const job = this.#jobs.get(id);
      if (job) this.#set(this.#planned(job, { ahead_ms: 0 }));
    });
  }

  /** Reads every row; SQL of callers changes one without its version. @throws RpcError 103 */
  async reload(): Promise<void> {
    this.#contents = new Contents();
    await this.#reading(async (accept) => {
      const present = new Set<Integer>();
      for await (const rows of pagesOf((after) => this.#options.store.plans(after, PAGE))) {
        await accept(rows);
        for (const { id } of rows) present.add(id);
      }
      return present;
    });
  }

  /** Reads the rows that have changed. @throws RpcError 103 */
  async refresh(): Promise<void> {
    await this.#reading(async (accept) => {
      const { store } = this.#options;
      const present = new Set<Integer>();
      for await (const stamps of pagesOf((after) => store.stamps(after, PAGE))) {
        const fresh = stamps.filter((stamp) => this.#isNew(stamp));
        await accept(await store.plansOf(fresh.map(({ id }) => id)));
        for (const { id } of stamps) present.add(id);
      }
      return present;
    });
  }

  /** Reads these rows. @throws RpcError 103 */
  async reread(ids: readonly Integer[]): Promise<void> {
    await this.#reading(async (accept) => {
      const rows = await this.#options.store.plansOf(ids);
      await accept(rows);
      const present = new Set(this.#jobs.keys());
      for (const id of ids) present.delete(id);
      for (const { id } of rows) present.add(id);
      return present;
    });
  }

  /** `read`: hands over what it reads. @returns ids of all rows that there are */
  async #reading(
    read: (accept: (rows: readonly PlanRow[]) => Promise<void>) => Promise<ReadonlySet<Integer>>,
  ): Promise<void> {
    const touched = new Set<Integer>();
    this.#reads.add(touched);
    try {
      const before = new Set([...this.#jobs.keys(), ...this.#unreadable.keys()]);
      const present = await read((rows) =>
        inSlices(rows, (row) => {
          if (!touched.has(row.id)) this.#remember(row);
        }),
      );
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

  #remember(row: PlanRow): void {
    const job = this.#jobs.get(row.id);
    // Two reads may end in the other order.
    if (job && job.version > row.version) return;
    // Rows that were just written have more columns, and long ones.
    const { id, name, enable, cron_expression, start_time, version } = row;
    const { last_run_time, claimed_by } = row;
    const digest = digestOf(cron_expression);
    const read = { id, name, enable, start_time, version, last_run_time, claimed_by, digest };
    if (job && isSame(job, read)) {
      this.#set({ ...job, claimed_by: row.claimed_by });
      return;
    }
    try {
      const schedule = this.#contents.scheduleOf(digest, cron_expression);
      const times = digest === cron_expression ? cron_expression : schedule.expression();
      this.#set(this.#planned({ ...read, times }));
      this.#unreadable.delete(row.id);
    } catch (error) {
      this.#unreadableNow(row, error);
    }
  }

  #unreadableNow(row: PlanRow, error: unknown): void {
    this.#drop(row.id);
    this.#unreadable.set(row.id, row.version);
    this.#options.unreadable(row, error);
  }

  /** @throws CronError */
  #planned(job: Timed, differs: Pick<Moment, 'ahead_ms'> = {}): Planned {
    const moment = { now: this.#options.now(), startedAt: this.#startedAt, ...differs };
    return { ...job, due: dueOf(job, this.#contents.scheduleOf(job.digest, job.times), moment) };
  }

  #set(job: Planned): void {
    this.#jobs.set(job.id, job);
    if (job.due < this.#horizon) this.#soon.set(job.id, job);
    else this.#soon.delete(job.id);
  }

  #drop(id: Integer): void {
    this.#unreadable.delete(id);
    this.#jobs.delete(id);
    this.#soon.delete(id);
    this.#contents.drop(id);
  }

  #touch(id: Integer): void {
    for (const touched of this.#reads) touched.add(id);
  }
}

const STAMP = ['version', 'last_run_time', 'claimed_by'] as const;
/** Columns that decide when a job is due; whatever else changes, its version does. */
const CONTENT = ['version', 'last_run_time', 'enable', 'name', 'digest', 'start_time'] as const;

const isSame = (job: Planned, row: Omit<Timed, 'times'>): boolean =>
  CONTENT.every((column) => job[column] === row[column]);

/** Works through items in slices, with turns of the event loop for others in between. */
async function inSlices<T>(items: Iterable<T>, each: (item: T) => void): Promise<void> {
  let begun = performance.now();
  for (const item of items) {
    each(item);
    if (performance.now() - begun < SLICE_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
}

/** All rows, some at a time in the order of their ids. */
async function* pagesOf<Row extends Pick<Stamp, 'id'>>(
  read: (after: Integer) => Promise<Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: Integer = 0; ; ) {
    const page = await read(after);
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id as Integer;
  }
}
