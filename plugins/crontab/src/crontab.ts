import {
  type Clock,
  countingIn,
  DatabaseChanged,
  type Kernel,
  RpcError,
  Type,
  topic,
} from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import { Tasks } from '@svc/plugin-task/api';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { JobAccess } from './access.ts';
import { WorkerRuns } from './api.ts';
import type { Job } from './job.ts';
import { Jobs } from './jobs.ts';
import { MissedRuns } from './missed-runs.ts';
import { mayDo, mayRun } from './permissions.ts';
import { Runs } from './runs.ts';
import { Scheduler } from './scheduler.ts';
import { ClaimStore } from './store/claims.ts';
import { type JobRow, JobStore } from './store/jobs.ts';
import { ResultStore } from './store/results.ts';

/** Jobs with these ids changed. */
const JobsChanged = topic('crontab.changed', Type.Array(Type.Integer()));

/** Parts that the methods work with. */
export interface Crontab {
  readonly access: JobAccess;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly store: JobStore;
  readonly results: ResultStore;
  /** A job was written or deleted here: tells memory, scheduler and the other servers. */
  changed(what: JobRow | { readonly gone: Integer }): void;
  readonly maxBytes: () => number;
  /** Throws when the server stops. */
  readonly proceed: () => void;
}

type Stores = ReturnType<typeof openStores>;

/** Connects stores, memory, scheduler and the other servers. */
export function createCrontab(kernel: Kernel) {
  const { auth, clock, log, server, signal: stopping } = kernel;
  const stores = openStores(kernel);
  const { store, results } = stores;
  const jobs = new Jobs({
    store,
    now: () => clock.now(),
    unreadable: ({ id, name }, error) =>
      log.warn('a stored job cannot be read and does not run', { id, job: name, error }),
  });
  const running = createRunning(kernel, stores, jobs);
  const { scheduler } = running;
  followChanges(kernel, jobs, scheduler);

  const crontab: Crontab = {
    access: new JobAccess(auth, kernel.use(Tokens), store),
    clock,
    jobs,
    store,
    results,
    changed(what) {
      if ('gone' in what) jobs.forget(what.gone);
      else jobs.put(what);
      kernel.publish(JobsChanged, ['gone' in what ? what.gone : what.id].filter(isNumber));
      scheduler.wake();
    },
    maxBytes: () => server.maxResponseBytes(),
    proceed() {
      if (stopping.aborted) throw RpcError.other('the server stops; not all rows are deleted');
    },
  };
  /** Jobs are read when the server is ready: a start does not wait for them. Never rejects. */
  const begin = async () => {
    try {
      await jobs.reload();
    } catch (error) {
      log.error('jobs could not be read; they are read again soon', { error });
    }
    scheduler.begin();
    void running.missed.search();
  };
  return { crontab, ...running, claims: stores.claims, begin };
}

const openStores = ({ db, bus, useOptional }: Kernel) => ({
  store: new JobStore(db, bus.id, countingIn({ db, useOptional })),
  claims: new ClaimStore(db, bus.id),
  results: new ResultStore(db),
});

function createRunning(kernel: Kernel, { store, claims, results }: Stores, jobs: Jobs) {
  const { bus, clock, log, signal: stopping } = kernel;
  const tasks = kernel.use(Tasks);
  const [workers, owners] = [kernel.useOptional(WorkerRuns), kernel.useOptional(Owners)];
  const isSuspended = async ({ owner, type }: Job) =>
    (await owners?.isSuspended(owner, [mayDo('write', type), mayRun(type)])) ?? false;
  const read = (id: Integer) => jobs.read(id);
  const runs = new Runs({ read, tasks, workers, isSuspended, results, claims, clock, log });
  const missed = new MissedRuns({
    bus,
    clock,
    log,
    jobs,
    claims,
    tasks,
    run: (job, claimedAt) => runs.start(job, claimedAt),
  });
  bus.watch(({ kind }) => {
    if (kind === 'left' && !stopping.aborted) void missed.search();
  });
  const scheduler = new Scheduler({
    clock,
    jobs,
    store,
    run(job, now) {
      runs.start(job, now);
      missed.replaced(job);
    },
    server: bus.id,
    log,
    stopping,
  });
  return { runs, missed, scheduler };
}

/** Reads jobs again that other servers or SQL of callers have changed. */
function followChanges(kernel: Kernel, jobs: Jobs, scheduler: Scheduler): void {
  const follow = async (read: () => Promise<void>) => {
    if (kernel.signal.aborted) return;
    try {
      await read();
      scheduler.wake();
    } catch (error) {
      kernel.log.error('jobs could not be read again', { error });
    }
  };
  kernel.subscribe(JobsChanged, (ids, { own }) =>
    own ? undefined : follow(() => jobs.reread(ids)),
  );
  kernel.subscribe(DatabaseChanged, () => follow(() => jobs.reload()));
}

const isNumber = (id: Integer): id is number => typeof id === 'number';
