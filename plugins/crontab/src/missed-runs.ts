import type { Bus, Clock, Logger } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Tasks } from '@svc/plugin-task/api';
import type { Planned } from './job.ts';
import type { Jobs } from './jobs.ts';
import type { Claim, ClaimStore } from './store/claims.ts';

/** Older runs are left alone: the rows that would prove that they were dispatched may have been deleted since. */
const AGE_MS = 60_000;
/** A younger run may be under way at a server that this one does not know yet; it is checked again after this time. */
const YOUNG_MS = 2_000;
/** Claims of other servers that are remembered although this server has claimed the next run. */
const REPLACED = 10_000;

export interface MissedRunsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly jobs: Jobs;
  readonly claims: ClaimStore;
  readonly tasks: Pick<Tasks, 'hasRun'>;
  /** Starts the run that was claimed at `claimedAt`; never waits, never throws. */
  readonly run: (job: Pick<Planned, 'id' | 'name'>, claimedAt: Integer) => void;
}

/**
 * Runs that a server claimed and did not dispatch because it was killed: another server dispatches them. A script's run loses its
 * claim before it is enqueued, so no script is started twice. A script's run whose next run was claimed since is left alone: its row
 * does not say any more whether it was started.
 */
export class MissedRuns {
  readonly #options: MissedRunsOptions;
  /** Claims that this server has replaced by its own in the rows. */
  #replaced: Claim[] = [];
  readonly #searches = new SerialQueue();
  #cancelNext: (() => void) | undefined;

  constructor(options: MissedRunsOptions) {
    this.#options = options;
  }

  /** Searches for missed runs and dispatches them. One search after the other; never rejects. */
  search(): Promise<void> {
    const search = this.#searches.run(() => this.#searchNow());
    return search.catch((error: unknown) => {
      this.#options.log.error('runs of servers that have ended could not be looked for', { error });
      this.#searchAgain();
    });
  }

  /**
   * Notes that this server claimed a run of `job`, given as it was before: its row no longer names the server of the run
   * before.
   */
  replaced({ id, name, claimed_by, last_run_time }: Planned): void {
    if (claimed_by === null || claimed_by === this.#options.bus.id || last_run_time === null)
      return;
    if (this.#replaced.length >= REPLACED) this.#replaced.splice(0, REPLACED / 2);
    this.#replaced.push({ id, name, claimed_by, last_run_time });
  }

  async #searchNow(): Promise<void> {
    const { bus, clock, claims } = this.#options;
    const alive = new Set(bus.servers().map(({ id }) => id));
    const now = clock.now();
    const since = now - AGE_MS;
    const isMissed = ({ claimed_by, last_run_time }: Claim) =>
      !alive.has(claimed_by) && last_run_time > since && last_run_time < now + AGE_MS;
    const isYoung = ({ last_run_time }: Claim) => last_run_time > now - YOUNG_MS;
    const before = this.#replaced.filter(isMissed);
    const found = [...before, ...(await claims.ofOthers(since)).filter(isMissed)];
    for (const claim of found) {
      if (isYoung(claim)) continue;
      await this.#dispatch(claim);
      this.#replaced = this.#replaced.filter((one) => one !== claim);
    }
    this.#replaced = this.#replaced.filter(
      (claim) => alive.has(claim.claimed_by) || isMissed(claim),
    );
    if (found.some(isYoung)) this.#searchAgain();
  }

  #searchAgain(): void {
    this.#cancelNext?.();
    this.#cancelNext = this.#options.clock.timeout(() => void this.search(), YOUNG_MS);
  }

  async #dispatch(claim: Claim): Promise<void> {
    const { jobs, claims, log, run } = this.#options;
    const job = await jobs.read(claim.id);
    const isLast = !this.#replaced.includes(claim);
    if (!job || (job.type.kind === 'worker' && !isLast)) return;
    if (await this.#wasDispatched(claim)) return;
    if (isLast && !(await claims.takeOver(claim))) return;
    log.warn('a run of a server that has ended is dispatched now', { job: job.name });
    run(job, claim.last_run_time);
  }

  async #wasDispatched(claim: Claim): Promise<boolean> {
    const { claims, tasks } = this.#options;
    if (await claims.isRecorded(claim)) return true;
    return tasks.hasRun(claim.name, claim.last_run_time);
  }
}
