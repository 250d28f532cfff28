import { type Clock, type Logger, RpcError } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { TaskOutcome, Tasks } from '@svc/plugin-task/api';
import type { WorkerRuns } from './api.ts';
import type { Job, Planned } from './job.ts';
import type { AgentType, WorkerType } from './job-type.ts';
import type { ClaimStore } from './store/claims.ts';
import type { ResultStore, RunRecord } from './store/results.ts';
import { createTurns } from './turns.ts';

/** Jobs whose tasks are stored at the same time; the others wait, so that the event loop gets its turns. */
const STORING = 16;
/** A job that takes longer than this to store makes no other job wait. */
const TURN_MS = 1_000;
/** Runs of one job that may be under way; one more is skipped: something has stopped taking them. */
const DISPATCHING = 100;
/** The stop waits no longer for dispatches. */
const STOP_MS = 5_000;

export interface RunsOptions {
  /** Reads the contents of a job; undefined: it has gone, or cannot be read. */
  readonly read: (id: Integer) => Promise<Job | undefined>;
  readonly tasks: Tasks;
  readonly workers: WorkerRuns | undefined;
  /** The token that wrote the job has gone, or could not write it now, and the operator wants its jobs to stop. */
  readonly isSuspended: (job: Job) => Promise<boolean>;
  readonly results: Pick<ResultStore, 'add'>;
  readonly claims: Pick<ClaimStore, 'begin'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Columns of a record that depend on the outcome of the dispatch. */
type Outcome = Pick<RunRecord, 'relative_id' | 'message'>;

/** Dispatches runs and records the outcome of each dispatch (crontab.md §3.1, §3.2). */
export class Runs {
  readonly #options: RunsOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #dispatching = new Map<Job['id'], number>();
  readonly #storing: ReturnType<typeof createTurns>;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#storing = createTurns(STORING, TURN_MS, options.clock);
  }

  /** Starts the run that was claimed at `claimedAt` (Unix ms). Never waits: a slow agent or a dead database holds up its own run only. */
  start(job: Pick<Planned, 'id' | 'name'>, claimedAt: Integer): void {
    const work = this.#dispatch(job, claimedAt).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when every run is dispatched and recorded, or 5 s have passed. */
  async settled(): Promise<void> {
    const all = Promise.all(this.#running);
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.timeout(resolve, STOP_MS);
      void all.then(() => {
        cancel();
        resolve();
      });
    });
  }

  async #dispatch({ id, name }: Pick<Planned, 'id' | 'name'>, claimedAt: Integer): Promise<void> {
    const { log } = this.#options;
    const before = this.#dispatching.get(id) ?? 0;
    if (before >= DISPATCHING) {
      log.error('run skipped: earlier runs are still being dispatched', { job: name, before });
      return;
    }
    this.#dispatching.set(id, before + 1);
    log.info('job fired', { job: name });
    try {
      await this.#run(id, claimedAt);
    } catch (error) {
      log.error('run failed', { job: name, error });
    } finally {
      const left = (this.#dispatching.get(id) ?? 1) - 1;
      if (left > 0) this.#dispatching.set(id, left);
      else this.#dispatching.delete(id);
    }
  }

  async #run(id: Integer, claimedAt: Integer): Promise<void> {
    const { isSuspended, read } = this.#options;
    // What waits for its turn holds nothing of what the job does, which may be long.
    const records = await this.#storing(async () => {
      const job = await read(id);
      if (!job) return [];
      if (await isSuspended(job)) return [this.#record(job, claimedAt, SUSPENDED)];
      const { type } = job;
      if (type.kind === 'agent') return this.#runAgents(job, claimedAt, type);
      return [this.#record(job, claimedAt, await this.#runWorker(job, type))];
    });
    await Promise.all(records);
  }

  async #runAgents(
    job: Job,
    run: Integer,
    { agents, task }: AgentType,
  ): Promise<readonly Promise<void>[]> {
    if (agents.length === 0) return [];
    const order = { agents, cronSource: job.name, run };
    const outcomes = await this.#options.tasks.createMany(order, task);
    const named = { id: job.id, name: job.name };
    return outcomes.map(async (each) => this.#record(named, run, taskOutcome(await each)));
  }

  async #runWorker({ id }: Job, { worker, params }: WorkerType): Promise<Outcome> {
    const { claims, workers } = this.#options;
    await claims.begin(id);
    if (!workers) return failed(worker, 'this server runs no scripts');
    try {
      const relative_id = await workers.enqueueCron({ worker, params });
      return {
        relative_id,
        message: `Script worker ${worker} was enqueued as run ${relative_id}`,
      };
    } catch (error) {
      if (error instanceof RpcError) return failed(worker, error.message);
      this.#options.log.error('script worker could not be enqueued', { worker, error });
      return failed(worker, 'internal error');
    }
  }

  #record(
    { id, name }: Pick<Job, 'id' | 'name'>,
    claimed_at: Integer,
    outcome: Outcome,
  ): Promise<void> {
    const { relative_id, message } = outcome;
    const { results, clock, log } = this.#options;
    log.target('crontab_result').debug('run dispatched', { job: name, relative_id, message });
    return results.add({
      cron_id: id,
      cron_name: name,
      claimed_at,
      run_time: clock.now(),
      relative_id,
      message: storableText(message),
    });
  }
}

const SUSPENDED: Outcome = {
  relative_id: null,
  message:
    'The job is suspended, because the token that wrote it is deleted, expired or has lost the right to it; edit it with another token',
};

const taskOutcome = ({ uuid, id, failure }: TaskOutcome): Outcome =>
  failure === undefined
    ? { relative_id: id, message: `Task ${id} was handed to agent ${uuid}` }
    : { relative_id: null, message: `Task for agent ${uuid} failed: ${failure}` };

const failed = (worker: string, reason: string): Outcome => ({
  relative_id: null,
  message: `Script worker ${worker} could not be run: ${reason}`,
});

/** Names and reasons may contain characters that databases cannot hold. */
const storableText = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');
