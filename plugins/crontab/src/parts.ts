import {
  type Clock,
  DatabaseChanged,
  type Integer,
  type Kernel,
  RpcError,
  Type,
  topic,
} from '@svc/plugin-sdk';
import { Tasks } from '@svc/plugin-task/api';
import { Tokens } from '@svc/plugin-token/api';
import { createAccess, type JobAccess } from './access.ts';
import { WorkerRuns } from './api.ts';
import { Jobs } from './jobs.ts';
import { createOrphans, type Orphans } from './orphans.ts';
import { createRuns, type Runs } from './runs.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { type ClaimStore, openClaimStore } from './store/claims.ts';
import { type JobRow, type JobStore, openJobStore } from './store/jobs.ts';
import { openResultStore, type ResultStore } from './store/results.ts';

/** Jobs with these ids changed. */
const JobsChanged = topic('crontab.changed', Type.Array(Type.Integer()));

/** What the methods work with. */
export interface CrontabParts {
  readonly access: JobAccess;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly runs: Runs;
  readonly scheduler: Scheduler;
  readonly store: JobStore;
  readonly results: ResultStore;
  readonly claims: ClaimStore;
  /** Runs of servers that have ended before they stored their tasks. */
  readonly orphans: Orphans;
  /** A job was written or deleted here: memory, scheduler and the other servers learn of it. */
  changed(what: JobRow | { readonly gone: Integer }): void;
  readonly maxBytes: () => number;
  /** Throws when the server stops. */
  readonly proceed: () => void;
}

/** Wires stores, memory, scheduler and the other servers together. */
export function createParts(kernel: Kernel): CrontabParts {
  const { auth, bus, clock, db, log, server, signal: stopping } = kernel;
  const store = openJobStore(db, bus.id);
  const claims = openClaimStore(db, bus.id);
  const results = openResultStore(db);
  const jobs = new Jobs({
    store,
    now: () => clock.now(),
    unreadable: ({ id, name }, error) =>
      log.warn('a stored job cannot be read and does not run', { id, job: name, error }),
  });
  const runs = createRuns({
    tasks: kernel.use(Tasks),
    workers: () => kernel.useOptional(WorkerRuns),
    results,
    claims,
    clock,
    log,
  });
  const orphans = createOrphans({
    bus,
    clock,
    log,
    jobs,
    claims,
    tasks: kernel.use(Tasks),
    run: runs.start,
  });
  bus.watch(({ kind }) => {
    if (kind === 'left' && !stopping.aborted) void orphans.adopt();
  });
  const scheduler = createScheduler({
    clock,
    jobs,
    store,
    run(job, now) {
      runs.start(job);
      orphans.overtake(job, now);
    },
    server: bus.id,
    log,
    stopping,
  });

  const learn = (read: () => Promise<void>) => {
    if (stopping.aborted) return;
    read().then(scheduler.wake, (error: unknown) => {
      log.error('jobs could not be read again', { error });
    });
  };
  kernel.subscribe(JobsChanged, (ids, { own }) => {
    if (!own) learn(() => jobs.reread(ids));
  });
  kernel.subscribe(DatabaseChanged, () => learn(() => jobs.reload()));

  return {
    access: createAccess(auth, kernel.use(Tokens), store),
    clock,
    jobs,
    runs,
    scheduler,
    store,
    results,
    claims,
    orphans,
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
}

const isNumber = (id: Integer): id is number => typeof id === 'number';
