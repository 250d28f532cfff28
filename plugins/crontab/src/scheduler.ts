import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Planned } from './job.ts';
import type { Jobs } from './jobs.ts';
import type { JobStore } from './store/jobs.ts';

/** Longest sleep: a clock that was set is noticed after this. */
const LONGEST_SLEEP_MS = 5_000;
/** Corrections of the machine's clock are smaller than this. */
const JUMP_MS = 1_000;
/** Jobs claimed by one statement. */
const CHUNK = 200;
/** A claim that failed is tried again after this; the jobs stay due. */
const RETRY_MS = 2_000;
/** Wait after a claim that another server won: this server's copy of the row is old until it is read again. */
const LOST_MS = 1_000;
/**
 * Longest claim that is certain: after a longer one the other servers may have counted this one as dead and have
 * dispatched the run.
 */
const CERTAIN_MS = 2_000;
/** A run does not start later than this after its time. */
const LATEST_MS = 60_000;

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly store: Pick<JobStore, 'claim'>;
  /** Starts a run; never waits, never throws. `job` as it was before the run was claimed at `now`. */
  readonly run: (job: Planned, now: number) => void;
  /** Id of this process in the rows that it claims. */
  readonly server: string;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Runs jobs when they are due (crontab.md §2.1). */
export class Scheduler {
  readonly #options: SchedulerOptions;
  /** Jobs whose run is being claimed. */
  readonly #claiming = new Set<Integer>();
  /** Jobs that are not claimed before this time, Unix ms. */
  readonly #heldBack = new Map<Integer, number>();
  /** Jobs whose claim at this time may belong to this server or not: their rows decide. */
  readonly #unsure = new Map<Integer, number>();
  /** Claims under way, and times that are being computed anew. */
  readonly #claims = new Set<Promise<void>>();
  #hasBegun = false;
  #lastCheck = 0;
  #cancelSleep: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Checks all jobs now, and from now on whenever one is due. */
  begin(): void {
    this.#hasBegun = true;
    this.#lastCheck = this.#options.clock.now();
    this.#check();
  }

  /** Jobs have changed. */
  wake(): void {
    for (const map of [this.#heldBack, this.#unsure]) {
      for (const id of map.keys()) if (!this.#options.jobs.get(id)) map.delete(id);
    }
    this.#check();
  }

  /** Resolves when no claim is under way, and no time is computed anew. */
  async settled(): Promise<void> {
    await Promise.all(this.#claims);
  }

  #dueAt({ id, due }: Planned): number {
    if (this.#claiming.has(id)) return Number.POSITIVE_INFINITY;
    return Math.max(this.#unsure.has(id) ? 0 : due, this.#heldBack.get(id) ?? 0);
  }

  #check(): void {
    const { clock, jobs, log, stopping } = this.#options;
    if (!this.#hasBegun || stopping.aborted) return;
    const now = clock.now();
    if (now < this.#lastCheck - JUMP_MS) {
      log.warn('the clock went back; jobs go on from now', { by_ms: this.#lastCheck - now });
      this.#heldBack.clear();
      this.#rebase();
    }
    this.#lastCheck = now;
    const due = [...jobs.soon()].filter((job) => this.#dueAt(job) <= now);
    for (let at = 0; at < due.length; at += CHUNK) this.#start(due.slice(at, at + CHUNK), now);
    this.#sleep(now);
  }

  #rebase(): void {
    const rebased = this.#options.jobs.rebase().finally(() => {
      this.#claims.delete(rebased);
      this.#check();
    });
    this.#claims.add(rebased);
  }

  #sleep(now: number): void {
    const { clock, jobs } = this.#options;
    let next = now + LONGEST_SLEEP_MS;
    for (const job of jobs.soon()) next = Math.min(next, this.#dueAt(job));
    this.#cancelSleep?.();
    this.#cancelSleep = clock.timeout(() => this.#check(), Math.max(1, next - now));
  }

  #start(due: readonly Planned[], now: number): void {
    for (const { id } of due) this.#claiming.add(id);
    const unsure = due.filter(({ id }) => this.#unsure.has(id));
    // The other jobs stay due, and are claimed after that.
    const work = unsure.length > 0 ? this.#decide(unsure) : this.#claimAndRun(due, now);
    const claim = work.finally(() => {
      for (const { id } of due) this.#claiming.delete(id);
      this.#claims.delete(claim);
      this.#check();
    });
    this.#claims.add(claim);
  }

  async #claimAndRun(due: readonly Planned[], now: number): Promise<void> {
    const { jobs, run, server } = this.#options;
    const begun = performance.now();
    const claimed = await this.#claim(due, now);
    if (!claimed) return;
    const mine = due.filter(({ id }) => claimed.has(id));
    for (const { id } of mine) this.#heldBack.delete(id);
    if (performance.now() - begun > CERTAIN_MS) {
      for (const { id } of mine) this.#unsure.set(id, now);
      await this.#decide(mine);
    } else {
      for (const job of mine) {
        jobs.recordRun(job.id, now, server);
        run(job, now);
      }
    }
    await this.#readLost(due.filter(({ id }) => !claimed.has(id)));
  }

  /** @returns undefined when the claim failed; its answer may be lost although the rows were changed */
  async #claim(due: readonly Planned[], now: number): Promise<ReadonlySet<Integer> | undefined> {
    const { store, log } = this.#options;
    try {
      return await store.claim(due, now);
    } catch (error) {
      for (const { id } of due) this.#unsure.set(id, now);
      this.#holdBack(due, RETRY_MS);
      log.error('runs could not be claimed; they are tried again', { jobs: due.length, error });
      return undefined;
    }
  }

  /** Reads the rows again, and starts the runs that belong to this server. */
  async #decide(unsure: readonly Planned[]): Promise<void> {
    const { clock, jobs, run, server } = this.#options;
    if (!(await this.#reread(unsure))) return;
    for (const { id } of unsure) {
      const at = this.#unsure.get(id) as number;
      this.#unsure.delete(id);
      const job = jobs.get(id);
      const isMine = job?.claimed_by === server && Number(job.last_run_time) === at;
      if (job && isMine && clock.now() - at < LATEST_MS) run(job, at);
    }
  }

  /** Reads jobs that another server ran or changed. */
  async #readLost(lost: readonly Planned[]): Promise<void> {
    if (lost.length === 0 || !(await this.#reread(lost))) return;
    // A row that is as it was before would be claimed in vain again at once.
    const unchanged = lost.filter((job) => this.#options.jobs.get(job.id) === job);
    this.#holdBack(unchanged, LOST_MS);
  }

  /** @returns false when the rows could not be read; the jobs are held back then */
  async #reread(some: readonly Planned[]): Promise<boolean> {
    const { jobs, log } = this.#options;
    try {
      await jobs.reread(some.map(({ id }) => id));
      return true;
    } catch (error) {
      this.#holdBack(some, RETRY_MS);
      log.error('jobs could not be read again', { jobs: some.length, error });
      return false;
    }
  }

  #holdBack(some: readonly Planned[], for_ms: number): void {
    const until = this.#options.clock.now() + for_ms;
    for (const { id } of some) this.#heldBack.set(id, until);
  }
}
