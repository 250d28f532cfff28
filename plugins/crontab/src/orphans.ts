import type { Bus, Clock, Logger } from '@svc/plugin-sdk';
import type { Tasks } from '@svc/plugin-task/api';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';
import type { Claim, ClaimStore } from './store/claims.ts';

/** Older runs are left alone: what would prove that they were dispatched may have been deleted since. */
const AGE_MS = 60_000;
/** A younger one may be on its way at a server that is only not known here yet; looked at again after this time. */
const YOUNG_MS = 2_000;
/** Runs of other servers that are remembered although the next one was claimed here. */
const OVERTAKEN = 10_000;

export interface OrphansOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly jobs: Jobs;
  readonly claims: ClaimStore;
  readonly tasks: Pick<Tasks, 'startedBetween'>;
  /** Starts a run; never waits, never throws. */
  readonly run: (job: Job) => void;
}

/**
 * Runs that a server claimed and was killed before it stored their tasks: another one dispatches them, so that no tick is
 * missed. A script's run loses its claim before it is enqueued, so none is started twice; one whose next run was claimed
 * since is left alone, because its row does not tell any more.
 */
export interface Orphans {
  /** Looks for them; rejects never. */
  adopt(): Promise<void>;
  /** A run was claimed here at `now`: the row does not tell any more who claimed the one before. */
  overtake(job: Job, now: number): void;
}

export function createOrphans(options: OrphansOptions): Orphans {
  const { bus, clock, log, jobs, claims, tasks, run } = options;
  let overtaken: Claim[] = [];
  let looks = Promise.resolve();
  let again: (() => void) | undefined;

  const wasDispatched = async (claim: Claim): Promise<boolean> =>
    (await claims.isRecorded(claim)) ||
    (await tasks.startedBetween(claim.name, claim.last_run_time, claim.before));

  async function look(): Promise<void> {
    const alive = new Set(bus.servers().map(({ id }) => id));
    const now = clock.now();
    const since = now - AGE_MS;
    const isOrphan = ({ claimed_by, last_run_time }: Claim) =>
      !alive.has(claimed_by) && last_run_time > since && last_run_time < now + AGE_MS;
    const isYoung = ({ last_run_time }: Claim) => last_run_time > now - YOUNG_MS;
    const before = overtaken.filter(isOrphan);
    const found = [...before, ...(await claims.ofOthers(since)).filter(isOrphan)];
    for (const claim of found) {
      if (isYoung(claim)) continue;
      await makeUp(claim);
      overtaken = overtaken.filter((one) => one !== claim);
    }
    overtaken = overtaken.filter((claim) => alive.has(claim.claimed_by) || isOrphan(claim));
    if (found.some(isYoung)) lookAgain();
  }

  function lookAgain(): void {
    again?.();
    again = clock.timeout(() => void adopt(), YOUNG_MS);
  }

  async function makeUp(claim: Claim): Promise<void> {
    const job = jobs.get(claim.id);
    const isLast = claim.before === undefined;
    if (!job || (job.type.kind === 'worker' && !isLast) || (await wasDispatched(claim))) return;
    if (isLast && !(await claims.adopt(claim))) return;
    log.warn('a run of a server that has ended is made up for', { job: job.name });
    run(job);
  }

  /** One look after the other: two at once would make up for the same run. */
  const adopt = (): Promise<void> => {
    looks = looks.then(look).catch((error: unknown) => {
      log.error('runs of servers that have ended could not be looked for', { error });
      lookAgain();
    });
    return looks;
  };

  return {
    adopt,
    overtake({ id, name, claimed_by, last_run_time }, now) {
      if (claimed_by === null || claimed_by === bus.id || last_run_time === null) return;
      if (overtaken.length >= OVERTAKEN) overtaken.splice(0, OVERTAKEN / 2);
      overtaken.push({ id, name, claimed_by, last_run_time, before: now });
    },
  };
}
