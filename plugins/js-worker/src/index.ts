import { WorkerRuns } from '@svc/plugin-crontab/api';
import { RetentionLimits } from '@svc/plugin-kv/api';
import { definePlugin, RpcError } from '@svc/plugin-sdk';
import { Egress, ScriptEngine } from './api.ts';
import { config } from './config.ts';
import { addResultMethods } from './methods/results.ts';
import { addRunMethods } from './methods/runs.ts';
import { addWorkerMethods } from './methods/workers.ts';
import { migrations } from './migrations/index.ts';
import { workerName } from './names.ts';
import { createEgress, createParts, type Parts } from './parts.ts';
import { addPermissions } from './permissions.ts';
import { preload } from './preload.ts';
import { keepWithinLimit } from './retention.ts';
import { addRoutes } from './route/paths.ts';
import { RouteHandler } from './route/route.ts';
import { INTERRUPTED } from './run/runner.ts';
import type { ResultStore } from './store/results.ts';

const SWEEP_MS = 5_000;
const ALIVE_MS = 2_000;

/** Script workers: namespaces `js-worker` and `js-result` with their tables, and the routes of workers (js-worker.md). */
export default definePlugin({
  name: 'js-worker',
  version: '0.6.0',
  namespaces: ['js-worker', 'js-result'],
  optional: [RetentionLimits, ScriptEngine],
  provides: [WorkerRuns, Egress],
  config,
  reloadable: [
    'max_threads',
    'max_contexts',
    'max_run_time',
    'max_heap_size',
    'max_total_heap',
    'fetch_private',
    'fetch_connect_timeout_ms',
    'fetch_idle_timeout_ms',
    'fetch_max_bytes',
    'route_wait_ms',
    'route_errors',
    'route_headers',
  ],

  setup(kernel) {
    const { brand, clock, db, hooks, log } = kernel;
    const egress = createEgress(kernel);
    kernel.provide(Egress, egress);
    // Another plugin's engine is known when every `setup` has run.
    let made: { readonly parts: Parts; readonly routes: RouteHandler } | undefined;
    const all = () => {
      if (made) return made;
      const parts = createParts(kernel, egress);
      const { routes, runner } = parts;
      const settings = kernel.config;
      const handler = new RouteHandler({
        routes,
        runner,
        clock,
        log,
        peerHeader: brand.peer_header,
        settings,
      });
      made = { parts, routes: handler };
      return made;
    };
    kernel.provide(WorkerRuns, {
      async enqueueCron({ worker: name, params }) {
        const { runner, workers } = all().parts;
        const worker = await workers.byName(workerName(name));
        if (!worker) throw RpcError.notFound(`js_worker not found: ${name}`);
        return runner.start(worker, { runType: 'cron', params, env: null }, 'bytecode');
      },
    });

    const closeInterrupted = async (results: ResultStore) => {
      const closed = await results.closeInterrupted(INTERRUPTED, clock.now());
      if (closed > 0) log.warn('runs that were interrupted are closed', { runs: closed });
    };

    hooks.permissions.tap(addPermissions);
    hooks.migrations.tap((steps) => {
      for (const step of migrations) steps.add(step);
    });
    hooks.methods.tap((methods) => {
      const { parts } = all();
      addWorkerMethods(methods, parts);
      addRunMethods(methods, parts);
      addResultMethods(methods, parts);
    });
    addRoutes(hooks, brand.rewrite, () => all().routes);
    hooks.start.tap(async () => {
      const { results } = all().parts;
      await closeInterrupted(results);
      const retention = kernel.useOptional(RetentionLimits);
      if (retention) keepWithinLimit(retention, results, clock);
    });
    hooks.ready.tap(() => {
      const { parts } = all();
      kernel.every('drop idle script contexts', SWEEP_MS, () => parts.rest());
      if (db.dialect === 'postgres') {
        const { results, runner } = parts;
        kernel.every('tell that runs go on', ALIVE_MS, () => results.keepAlive(runner.running()));
        kernel.every('close runs of lost servers', SWEEP_MS, () => closeInterrupted(results));
      }
      preload(parts).catch((error: unknown) =>
        log.warn('no script was loaded in advance', { error }),
      );
    });
    hooks.reload.tap(() => egress.reload());
    hooks.stop.tap(() => all().parts.runner.stop());
  },
});
