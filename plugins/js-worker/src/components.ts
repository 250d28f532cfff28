import { standingIn } from '@svc/fair-turns';
import { Egress, type EgressRules } from '@svc/plugin-egress/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { type Sandboxes, ScriptEngine } from '@svc/plugin-script-quickjs/api';
import { countingIn, DatabaseChanged, type Kernel } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Settings } from './config.ts';
import { globalsOf } from './globals.ts';
import { WorkerOwners } from './owners.ts';
import { RouteCache, WorkerChanged } from './registry.ts';
import { FetchWarnings } from './run/fetch-warnings.ts';
import { RunMeter } from './run/meter.ts';
import { ContextPool } from './run/pool.ts';
import { Runner, type RunnerOptions } from './run/runner.ts';
import { WorkerLog } from './run/worker-log.ts';
import { ResultStore } from './store/results.ts';
import { WorkerStore } from './store/workers.ts';

/** Parts that the methods and routes work with. */
export interface Components {
  readonly kernel: Kernel<Settings>;
  readonly workers: WorkerStore;
  readonly results: ResultStore;
  readonly owners: WorkerOwners;
  readonly routes: RouteCache;
  readonly pool: ContextPool;
  readonly runner: Runner;
  readonly contexts: Sandboxes;
  /** A worker was written or deleted here: this server and the others forget what they keep of it. */
  changed(id: Integer, cancel?: string): void;
  /** The configuration was read again. @throws UserError */
  reload(): void;
  /** Releases what is not needed. */
  rest(): void;
}

/** Rules for the `fetch` of scripts, out of the section `[js-worker]`. */
const fetchRules = (config: Settings): EgressRules => ({
  allow: config.fetch_private,
  key: 'fetch_private',
  connect_ms: config.fetch_connect_timeout_ms,
  idle_ms: config.fetch_idle_timeout_ms,
  max_bytes: config.fetch_max_bytes,
});

/** Connects stores, contexts and the other servers. */
export function createComponents(kernel: Kernel<Settings>): Components {
  const { brand, clock, config, db } = kernel;
  const stores = {
    workers: new WorkerStore(db, countingIn(kernel)),
    results: new ResultStore(db, () => config.max_result_bytes),
  };
  const routes = new RouteCache(stores.workers, () => clock.now());
  const egress = kernel.use(Egress).open(fetchRules(config));
  const globals = globalsOf(brand.word);
  const contexts = kernel.use(ScriptEngine).open({
    threads: () => config.max_threads,
    spare: () => config.spare_threads,
    standing: standingIn(kernel),
    globals,
  });
  const pool = new ContextPool({
    contexts,
    store: stores.workers,
    ceilings: () => config,
    now: () => clock.now(),
  });
  const owners = new WorkerOwners(kernel);
  const runner = createRunner(kernel, { ...stores, egress, owners, contexts, pool });
  const forget = (id: Integer, cancel?: string) => {
    routes.forget();
    pool.drop(id, cancel);
  };
  kernel.subscribe(WorkerChanged, ({ id, cancel }, { own }) => void (own || forget(id, cancel)));
  kernel.subscribe(DatabaseChanged, () => routes.forget());
  return {
    ...stores,
    kernel,
    owners,
    routes,
    pool,
    runner,
    contexts,
    changed(id, cancel) {
      forget(id, cancel);
      kernel.publish(WorkerChanged, { id, ...(cancel !== undefined && { cancel }) });
    },
    reload: () => egress.change(fetchRules(config)),
    rest() {
      pool.sweep();
      contexts.rest();
    },
  };
}

function createRunner(
  { clock, config, log, request, useOptional }: Kernel<Settings>,
  parts: Pick<RunnerOptions, 'contexts' | 'owners' | 'pool' | 'workers' | 'results' | 'egress'>,
): Runner {
  const meter = new RunMeter(clock);
  useOptional(Metrics)?.add(...meter.families);
  return new Runner({
    ...parts,
    meter,
    fetchWarnings: new FetchWarnings({ clock, log }),
    workerLog: new WorkerLog({ clock, log, most: () => config.log_bytes_per_minute }),
    ceilings: () => config,
    cookies: () => config.route_headers.some((name) => /^set-cookie$/i.test(name)),
    request,
    clock,
    log,
  });
}
