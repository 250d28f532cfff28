import type { Integer, Kernel } from '@svc/plugin-sdk';
import { type Egress, ScriptEngine } from './api.ts';
import type { Settings } from './config.ts';
import { EgressGuard } from './egress/egress.ts';
import { type Policy, policyOf } from './egress/policy.ts';
import { QuickJs } from './engine/quickjs.ts';
import { CHANGED, type Changed, RouteCache } from './registry.ts';
import { ContextPool } from './run/pool.ts';
import { Runner } from './run/runner.ts';
import { openResultStore, type ResultStore } from './store/results.ts';
import { openWorkerStore, type WorkerStore } from './store/workers.ts';

/** Somebody ran SQL of his own on the main database. */
const DATABASE_CHANGED = 'database.changed';

/** What the methods and routes work with. */
export interface Parts {
  readonly kernel: Kernel<Settings>;
  readonly workers: WorkerStore;
  readonly results: ResultStore;
  readonly routes: RouteCache;
  readonly pool: ContextPool;
  readonly runner: Runner;
  readonly engine: ScriptEngine;
  /** A worker was written or deleted here: this server and the others forget what they keep of it. */
  changed(id: Integer, cancel?: string): void;
  /** Starts what the first script would have to wait for. */
  warm(): void;
  /** Gives up what nobody needs. */
  rest(): void;
}

/** Outgoing requests under the rules of the section `[js-worker]`. */
export function createEgress(kernel: Kernel<Settings>): Egress & { reload(): void } {
  const { brand, config, server } = kernel;
  let policy: Policy = policyOf(config.fetch_private);
  const guard = new EgressGuard({
    policy: () => policy,
    connect_ms: () => config.fetch_connect_timeout_ms,
    idle_ms: () => config.fetch_idle_timeout_ms,
    maxBytes: () => config.fetch_max_bytes,
    userAgent: `${brand.word}-server/${server.version}`,
  });
  kernel.defer('outgoing connections', () => guard.close());
  return {
    request: (order) => guard.request(order),
    reload() {
      policy = policyOf(config.fetch_private);
      guard.close();
    },
  };
}

/** Wires stores, engine, contexts and the other servers together. */
export function createParts(kernel: Kernel<Settings>, egress: Egress): Parts {
  const { brand, bus, clock, config, db, log } = kernel;
  const workers = openWorkerStore(db);
  const results = openResultStore(db);
  const routes = new RouteCache(workers, () => clock.now());
  const own = new QuickJs({
    brand: brand.word,
    least: Math.min(2, config.max_threads),
    most: () => config.max_threads,
    onLost: (error) => log.error('a script thread ended unexpectedly', { error }),
  });
  const engine: ScriptEngine = kernel.useOptional(ScriptEngine) ?? own;
  const now = () => clock.now();
  const ceilings = () => config;
  const pool = new ContextPool({
    engine,
    store: workers,
    ceilings,
    now,
    after: (ms, work) => clock.timeout(work, ms),
  });
  const runner = new Runner({
    engine,
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
  bus.subscribe(CHANGED, (payload, { own: mine }) => {
    const { id, cancel } = (payload ?? {}) as Partial<Changed>;
    if (mine || id === undefined) return;
    routes.forget();
    pool.drop(id, cancel);
  });
  bus.subscribe(DATABASE_CHANGED, () => routes.forget());
  return {
    kernel,
    workers,
    results,
    routes,
    pool,
    runner,
    engine,
    changed(id, cancel) {
      routes.forget();
      pool.drop(id, cancel);
      bus.publish(CHANGED, { id, ...(cancel !== undefined && { cancel }) } satisfies Changed);
    },
    warm() {
      if (engine === own) own.warm();
    },
    rest() {
      pool.sweep();
      own.rest();
    },
  };
}
