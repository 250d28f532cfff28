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
/** A claim that took longer may be answered to a server that the others counted as dead, and made up for. */
const CERTAIN_MS = 2_000;
/** A run is not started any more so long after its time. */
const LATEST_MS = 60_000;

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
  /** Runs claimed at these times of which it is not known whether they are this server's: the rows decide. */
  const doubtful = new Map<Integer, number>();
  const claims = new Set<Promise<void>>();
  let begun = false;
  let lastLook = 0;
  let cancel: (() => void) | undefined;

  const dueAt = ({ id, due }: Job): number => {
    if (claiming.has(id)) return Number.POSITIVE_INFINITY;
    return Math.max(doubtful.has(id) ? 0 : due, resting.get(id) ?? 0);
  };

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
    const unsure = due.filter(({ id }) => doubtful.has(id));
    if (unsure.length > 0) {
      // What is due after that is looked at again.
      await decide(unsure);
      return;
    }
    let claimed: ReadonlySet<Integer>;
    const begun = performance.now();
    try {
      claimed = await store.claim(due, now);
    } catch (error) {
      // The answer may be lost, and not the claim.
      for (const { id } of due) doubtful.set(id, now);
      rest(due, RETRY_MS);
      log.error('runs could not be claimed; they are tried again', { jobs: due.length, error });
      return;
    }
    const mine = due.filter(({ id }) => claimed.has(id));
    for (const { id } of mine) resting.delete(id);
    if (performance.now() - begun > CERTAIN_MS) {
      for (const { id } of mine) doubtful.set(id, now);
      await decide(mine);
    } else {
      for (const job of mine) {
        jobs.ran(job.id, now, server);
        run(job, now);
      }
    }
    await learn(due.filter(({ id }) => !claimed.has(id)));
  }

  /** Starts those that the rows say are this server's. */
  async function decide(unsure: readonly Job[]): Promise<void> {
    try {
      await jobs.reread(unsure.map(({ id }) => id));
    } catch (error) {
      rest(unsure, RETRY_MS);
      log.error('jobs could not be read again', { jobs: unsure.length, error });
      return;
    }
    for (const { id } of unsure) {
      const at = doubtful.get(id) as number;
      doubtful.delete(id);
      const job = jobs.get(id);
      const isMine = job?.claimed_by === server && Number(job.last_run_time) === at;
      if (job && isMine && clock.now() - at < LATEST_MS) run(job, at);
    }
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
      for (const map of [resting, doubtful]) {
        for (const id of map.keys()) if (!jobs.get(id)) map.delete(id);
      }
      look();
    },
    settled: async () => {
      await Promise.all(claims);
    },
  };
}
