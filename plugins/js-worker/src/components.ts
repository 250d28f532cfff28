import { Egress, type EgressClient, type EgressRules } from '@svc/plugin-egress/api';
import { type Sandboxes, ScriptEngine } from '@svc/plugin-script-quickjs/api';
import { DatabaseChanged, type Integer, type Kernel } from '@svc/plugin-sdk';
import type { Settings } from './config.ts';
import { globalsOf } from './globals.ts';
import { RouteCache, WorkerChanged } from './registry.ts';
import { ContextPool } from './run/pool.ts';
import { Runner } from './run/runner.ts';
import { openResultStore, type ResultStore } from './store/results.ts';
import { openWorkerStore, type WorkerStore } from './store/workers.ts';

/** What the methods and routes work with. */
export interface Components {
  readonly kernel: Kernel<Settings>;
  readonly workers: WorkerStore;
  readonly results: ResultStore;
  readonly routes: RouteCache;
  readonly pool: ContextPool;
  readonly runner: Runner;
  readonly sandboxes: Sandboxes;
  readonly egress: EgressClient;
  /** A worker was written or deleted here: this server and the others forget what they keep of it. */
  changed(id: Integer, cancel?: string): void;
  /** The configuration was read again. @throws UserError */
  reload(): void;
  /** Gives up what is not needed. */
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

/** Wires stores, engine, contexts and the other servers together. */
export function createComponents(kernel: Kernel<Settings>): Components {
  const { brand, clock, config, db, log } = kernel;
  const workers = openWorkerStore(db);
  const results = openResultStore(db);
  const routes = new RouteCache(workers, () => clock.now());
  const egress = kernel.use(Egress).open(fetchRules(config));
  const sandboxes = kernel.use(ScriptEngine).open({
    threads: () => config.max_threads,
    globals: globalsOf(brand.word),
  });
  const now = () => clock.now();
  const ceilings = () => config;
  const pool = new ContextPool({
    sandboxes,
    store: workers,
    ceilings,
    now,
    after: (ms, work) => clock.timeout(work, ms),
  });
  const runner = new Runner({
    sandboxes,
    pool,
    workers,
    results,
    egress,
    ceilings,
    cookies: () => config.route_headers.some((name) => /^set-cookie$/i.test(name)),
    request: (request) => kernel.request(request),
    clock,
    log,
  });
  kernel.subscribe(WorkerChanged, ({ id, cancel }, { own: mine }) => {
    if (mine) return;
    routes.forget();
    pool.drop(id, cancel);
  });
  kernel.subscribe(DatabaseChanged, () => routes.forget());
  return {
    kernel,
    workers,
    results,
    routes,
    pool,
    runner,
    sandboxes,
    egress,
    changed(id, cancel) {
      routes.forget();
      pool.drop(id, cancel);
      kernel.publish(WorkerChanged, { id, ...(cancel !== undefined && { cancel }) });
    },
    reload: () => egress.change(fetchRules(config)),
    rest() {
      pool.sweep();
      sandboxes.rest();
    },
  };
}
