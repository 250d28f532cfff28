import { Standings } from '@svc/fair-turns';
import { Refusals } from '@svc/plugin-admission/api';
import { WorkerRuns } from '@svc/plugin-crontab/api';
import { Egress } from '@svc/plugin-egress/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { History } from '@svc/plugin-retention/api';
import { ScriptEngine } from '@svc/plugin-script-quickjs/api';
import { definePlugin, Holdings, RpcError, reload } from '@svc/plugin-sdk';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { UserContent } from '@svc/plugin-user-content/api';
import { type Components, createComponents } from './components.ts';
import { filterOf } from './conditions.ts';
import { config } from './config.ts';
import { examples } from './examples.ts';
import { workersHeld } from './held.ts';
import { addResultMethods } from './methods/results.ts';
import { addRunMethods } from './methods/runs.ts';
import { addWorkerMethods } from './methods/workers.ts';
import { migrations } from './migrations/index.ts';
import { workerName } from './names.ts';
import { shareOf } from './owners.ts';
import { permissions, scopes } from './permissions.ts';
import { preload } from './preload.ts';
import { addRoutes } from './route/paths.ts';
import { RouteHandler } from './route/route.ts';
import { INTERRUPTED } from './run/runner.ts';
import { ARRIVED } from './store/results.ts';

const SWEEP_MS = 5_000;
const ALIVE_MS = 2_000;

/** Script workers: namespaces `js-worker` and `js-result` with their tables, and the routes of workers (js-worker.md). */
export default definePlugin({
  name: 'js-worker',
  examples,
  namespaces: ['js-worker', 'js-result'],
  requires: [ScriptEngine, Egress, History, UserContent],
  optional: [Standings, Tokens, Owners, Holdings, Refusals, Metrics],
  provides: [WorkerRuns],
  brings: ['script-quickjs', 'egress', 'retention', 'user-content'],
  config: reload(config),
  migrations,
  // The environments of workers hold credentials, and a worker has rights.
  guards: { js_worker: 'secret', js_result: 'data', js_result_usage: 'counter' },
  permissions,
  scopes,

  setup(kernel) {
    const { brand, clock, config: settings, hooks, log } = kernel;
    const components = createComponents(kernel);
    const { owners, results, routes, runner, workers } = components;
    const peerHeader = brand.peer_header;
    kernel.use(History).keep({
      ...ARRIVED,
      removeUpTo: (start_time_to, proceed) =>
        results.remove(filterOf([{ start_time_to }]), 'all', proceed),
    });
    const content = kernel.use(UserContent);
    const handler = new RouteHandler({
      content,
      routes,
      runner,
      owners,
      clock,
      log,
      peerHeader,
      settings,
    });
    kernel.provide(WorkerRuns, {
      async enqueueCron({ worker: name, params }) {
        const worker = await workers.byName(workerName(name));
        if (!worker) throw RpcError.notFound(`js_worker not found: ${name}`);
        return runner.start(
          worker,
          { runType: 'cron', params, env: null, share: shareOf(worker) },
          'bytecode',
        );
      },
    });

    hooks.methods.tap((methods) => {
      addWorkerMethods(methods, components);
      addRunMethods(methods, components);
      addResultMethods(methods, components);
    });
    addRoutes(hooks, brand.rewrite, handler);
    hooks.prepare.tap(() => {
      owners.register(workers, (id, cancel) => components.pool.drop(id, cancel));
      kernel.useOptional(Holdings)?.register(workersHeld(settings));
    });
    hooks.start.tap(async () => {
      await closeInterrupted(components);
    });
    hooks.ready.tap(() => begin(components));
    hooks.reload.tap(() => components.reload());
    hooks.stop.tap(() => runner.stop());
  },
});

/** Begins the work that goes on for as long as the server serves. */
function begin(components: Components): void {
  const { kernel, results, runner } = components;
  kernel.every('drop idle script contexts', SWEEP_MS, () => components.rest());
  if (kernel.db.severalServers) {
    kernel.every('tell that runs go on', ALIVE_MS, () => results.keepAlive(runner.running()));
    kernel.every('close runs of lost servers', SWEEP_MS, () => closeInterrupted(components));
  }
  preload(components).catch((error: unknown) =>
    kernel.log.warn('no script was loaded in advance', { error }),
  );
}

async function closeInterrupted({ kernel, results }: Components): Promise<void> {
  const closed = await results.closeInterrupted(INTERRUPTED, kernel.clock.now());
  if (closed > 0) kernel.log.warn('runs that were interrupted are closed', { runs: closed });
}
