import type { Clock, Integer, Logger } from '@svc/plugin-sdk';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';
import type { JobStore } from './store/jobs.ts';

/** Longest sleep: a clock that was set is noticed after this. */
const LONGEST_SLEEP_MS = 5_000;
/** The machine's clock is corrected by less than this all the time. */
const JUMP_MS = 1_000;
/** Jobs claimed by one statement. */
const CHUNK = 200;
/** A claim that failed is tried again after this; the jobs stay due. */
const RETRY_MS = 2_000;
/** A claim that another server won says that this server's view is old; it is read again first. */
const LOST_MS = 1_000;

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly store: Pick<JobStore, 'claim'>;
  /** Starts a run; never waits, never throws. `job` as it was before the run was claimed at `now`. */
  readonly run: (job: Job, now: number) => void;
  /** This process in the rows that it claims. */
  readonly server: string;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Runs jobs when they are due (crontab.md §2.1). */
export interface Scheduler {
  /** Looks at all jobs now, and from now on whenever one is due. */
  begin(): void;
  /** Jobs have changed. */
  wake(): void;
  /** Resolves when no claim is on its way. */
  settled(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, jobs, store, run, server, log, stopping } = options;
  /** Jobs whose run is being claimed. */
  const claiming = new Set<Integer>();
  /** Jobs that are left alone until then. */
  const resting = new Map<Integer, number>();
  const claims = new Set<Promise<void>>();
  let begun = false;
  let lastLook = 0;
  let cancel: (() => void) | undefined;

  const dueAt = ({ id, due }: Job): number =>
    claiming.has(id) ? Number.POSITIVE_INFINITY : Math.max(due, resting.get(id) ?? 0);

  function look(): void {
    if (!begun || stopping.aborted) return;
    const now = clock.now();
    if (now < lastLook - JUMP_MS) {
      log.warn('the clock went back; jobs go on from now', { by_ms: lastLook - now });
      resting.clear();
      jobs.rebase();
    }
    lastLook = now;
    const due = [...jobs.values()].filter((job) => dueAt(job) <= now);
    for (let at = 0; at < due.length; at += CHUNK) start(due.slice(at, at + CHUNK), now);
    sleep(now);
  }

  function sleep(now: number): void {
    let next = now + LONGEST_SLEEP_MS;
    for (const job of jobs.values()) next = Math.min(next, dueAt(job));
    cancel?.();
    cancel = clock.timeout(look, Math.max(1, next - now));
  }

  function start(due: readonly Job[], now: number): void {
    for (const { id } of due) claiming.add(id);
    const claim = claimAndRun(due, now).finally(() => {
      for (const { id } of due) claiming.delete(id);
      claims.delete(claim);
      look();
    });
    claims.add(claim);
  }

  async function claimAndRun(due: readonly Job[], now: number): Promise<void> {
    let claimed: ReadonlySet<Integer>;
    try {
      claimed = await store.claim(due, now);
    } catch (error) {
      rest(due, RETRY_MS);
      log.error('runs could not be claimed; they are tried again', { jobs: due.length, error });
      return;
    }
    for (const job of due) {
      if (!claimed.has(job.id)) continue;
      resting.delete(job.id);
      jobs.ran(job.id, now, server);
      run(job, now);
    }
    await learn(due.filter(({ id }) => !claimed.has(id)));
  }

  /** Another server ran or changed these. */
  async function learn(lost: readonly Job[]): Promise<void> {
    if (lost.length === 0) return;
    try {
      await jobs.reread(lost.map(({ id }) => id));
      // A row that is as it was before would be claimed in vain again at once.
      rest(
        lost.filter((job) => jobs.get(job.id) === job),
        LOST_MS,
      );
    } catch (error) {
      rest(lost, RETRY_MS);
      log.error('jobs could not be read again', { jobs: lost.length, error });
    }
  }

  function rest(some: readonly Job[], for_ms: number): void {
    const until = clock.now() + for_ms;
    for (const { id } of some) resting.set(id, until);
  }

  return {
    begin() {
      begun = true;
      lastLook = clock.now();
      look();
    },
    wake() {
      for (const id of resting.keys()) if (!jobs.get(id)) resting.delete(id);
      look();
    },
    settled: async () => {
      await Promise.all(claims);
    },
  };
}
