import type { Clock, Logger } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { TaskOutcome, Tasks } from '@svc/plugin-task/api';
import type { WorkerRuns } from './api.ts';
import type { Job } from './job.ts';
import type { AgentType, WorkerType } from './job-type.ts';
import type { ClaimStore } from './store/claims.ts';
import type { ResultStore, RunRecord } from './store/results.ts';

/** Jobs whose tasks are being stored at a time; the others wait, so that the event loop gets its turns. */
const STORING = 16;
/** Who takes longer than this to store makes no other job wait. */
const TURN_MS = 1_000;
/** Runs of one job that are being dispatched; more are skipped: whatever takes them has stopped taking. */
const DISPATCHING = 100;
/** The stop waits no longer for dispatches. */
const STOP_MS = 5_000;

export interface RunsOptions {
  readonly tasks: Tasks;
  readonly workers: () => WorkerRuns | undefined;
  readonly results: Pick<ResultStore, 'add'>;
  readonly claims: Pick<ClaimStore, 'begin'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Dispatches runs and records what became of each (crontab.md §3.1, §3.2). */
export interface Runs {
  /** Never waits: a slow agent or a dead database holds up its own run only. */
  start(job: Job): void;
  /** Resolves when every run is dispatched and recorded, or some seconds have passed. */
  settled(): Promise<void>;
}

/** What a record says about one dispatch. */
type Outcome = Pick<RunRecord, 'relative_id' | 'message'>;

export function createRuns({ tasks, workers, results, claims, clock, log }: RunsOptions): Runs {
  const running = new Set<Promise<void>>();
  const dispatching = new Map<Job['id'], number>();
  const storing = createTurns(STORING, clock);

  const record = ({ id, name }: Job, outcome: Outcome): Promise<void> =>
    results.add({
      cron_id: id,
      cron_name: name,
      run_time: clock.now(),
      relative_id: outcome.relative_id,
      message: storableText(outcome.message),
    });

  async function runAgents(job: Job, { agents, task }: AgentType): Promise<void> {
    if (agents.length === 0) return;
    const order = { agents, cronSource: job.name };
    const outcomes = await storing(() => tasks.createMany(order, task));
    await Promise.all(outcomes.map(async (each) => record(job, taskOutcome(await each))));
  }

  async function runWorker(job: Job, type: WorkerType): Promise<void> {
    const outcome = await storing(async () => {
      await claims.begin(job.id);
      return enqueue(type);
    });
    await record(job, outcome);
  }

  async function enqueue({ worker, params }: WorkerType): Promise<Outcome> {
    const runs = workers();
    if (!runs) return failed(worker, 'this server runs no scripts');
    try {
      const id = await runs.enqueueCron({ worker, params });
      return { relative_id: id, message: `Script worker ${worker} was enqueued as run ${id}` };
    } catch (error) {
      if (error instanceof RpcError) return failed(worker, error.message);
      log.error('script worker could not be enqueued', { worker, error });
      return failed(worker, 'internal error');
    }
  }

  async function dispatch(job: Job): Promise<void> {
    const { id, name, type } = job;
    const before = dispatching.get(id) ?? 0;
    if (before >= DISPATCHING) {
      log.error('run skipped: earlier runs are still being dispatched', { job: name, before });
      return;
    }
    dispatching.set(id, before + 1);
    try {
      await (type.kind === 'agent' ? runAgents(job, type) : runWorker(job, type));
    } catch (error) {
      log.error('run failed', { job: name, error });
    } finally {
      const left = (dispatching.get(id) ?? 1) - 1;
      if (left > 0) dispatching.set(id, left);
      else dispatching.delete(id);
    }
  }

  return {
    start(job) {
      const work = dispatch(job).finally(() => running.delete(work));
      running.add(work);
    },
    async settled() {
      const all = Promise.all(running);
      await new Promise<void>((resolve) => {
        const cancel = clock.timeout(resolve, STOP_MS);
        void all.then(() => {
          cancel();
          resolve();
        });
      });
    },
  };
}

const taskOutcome = ({ uuid, id, failure }: TaskOutcome): Outcome =>
  failure === undefined
    ? { relative_id: id, message: `Task ${id} was handed to agent ${uuid}` }
    : { relative_id: null, message: `Task for agent ${uuid} failed: ${failure}` };

const failed = (worker: string, reason: string): Outcome => ({
  relative_id: null,
  message: `Script worker ${worker} could not be run: ${reason}`,
});

/** Names and reasons may hold what no database can. */
const storableText = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** Runs `size` works at a time, in order; one that hangs gives its place away. */
function createTurns(size: number, clock: Clock): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = size;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    let left = false;
    const leaveOnce = () => {
      if (!left) leave();
      left = true;
    };
    const cancel = clock.timeout(leaveOnce, TURN_MS);
    try {
      return await work();
    } finally {
      cancel();
      leaveOnce();
    }
  };
}
