import { Refusals } from '@svc/plugin-admission/api';
import { LastReports } from '@svc/plugin-agent/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Audit } from '@svc/plugin-audit/api';
import { Egress } from '@svc/plugin-egress/api';
import { AgentValues } from '@svc/plugin-kv/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { Notify, Secrets } from '@svc/plugin-notify/api';
import { History } from '@svc/plugin-retention/api';
import { DatabaseChanged, definePlugin, Holdings } from '@svc/plugin-sdk';
import { Tasks } from '@svc/plugin-task/api';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { MonitorChanged, MonitorDue, MonitorHistory, MonitorPauses, Monitors } from './api.ts';
import { config } from './config.ts';
import { openEngine } from './engine/index.ts';
import { PERIOD_MS } from './engine/rounds.ts';
import { examine } from './examine.ts';
import { examples } from './examples.ts';
import { monitorsHeld } from './held.ts';
import { openHistory } from './history.ts';
import { type Importer, importCommand } from './import/index.ts';
import { addMethods } from './methods/index.ts';
import { families } from './metrics.ts';
import { migrations } from './migrations/index.ts';
import { permissions, scopes } from './permissions.ts';
import { openMonitors } from './service.ts';
import { openStores } from './store/index.ts';
import { HELD } from './store/monitors.ts';
import { historyTables } from './store/retention.ts';

const SECOND_MS = 1_000;
/** Monitors and the rights of their owners are read again this often, whoever changed them. */
const REFRESH_MS = 60_000;
/** A heartbeat goes on without its sealed key: calls are known by its hash. */
const SEALED = "exists (select 1 from monitor where secret <> '{}' and kind <> 'heartbeat')";

/** Checks of what is reached over the network, and heartbeats of jobs: namespace `monitor`. */
export default definePlugin({
  name: 'monitor',
  namespaces: ['monitor'],
  requires: [Owners, Tokens, Egress, Holdings, History],
  optional: [
    ...[Secrets, Notify, Metrics, AgentRegistry, AgentValues, LastReports, Tasks],
    ...[Audit, Refusals, MonitorPauses],
  ],
  provides: [Monitors, MonitorHistory],
  brings: ['egress', 'retention'],
  config,
  permissions,
  scopes,
  migrations,
  examples,
  examine,
  guards: {
    // Sealed secrets and hashes of keys, and what targets and jobs said.
    ...{ monitor: 'secret', monitor_ping: 'secret', monitor_answer: 'secret' },
    ...{ monitor_state: 'fixed', monitor_verdict: 'fixed', monitor_change: 'fixed' },
    ...{ monitor_result: 'fixed', monitor_chunk: 'fixed', monitor_hour: 'fixed' },
    ...{ monitor_day: 'fixed', monitor_outage: 'fixed', monitor_detail: 'fixed' },
    ...{ monitor_tls: 'fixed', monitor_run: 'fixed', monitor_turn: 'fixed' },
    ...{ monitor_isolated: 'fixed', monitor_agent: 'fixed', monitor_import: 'fixed' },
  },

  setup(kernel) {
    const { every, hooks } = kernel;
    const stores = openStores(kernel);
    const engine = openEngine(kernel, stores);
    const { agents, cutOff, known, peers, recorder, rounds, runner, share } = engine;
    kernel.provide(Monitors, openMonitors({ ...stores, known, placing: agents.placing }));
    kernel.provide(MonitorHistory, openHistory({ ...stores, clock: kernel.clock, known }));
    kernel.useOptional(Secrets)?.keep(SEALED);
    kernel.useOptional(Metrics)?.add(...families({ recorder, runner, own: () => share.size }));
    for (const table of historyTables(kernel.db, () => kernel.config))
      kernel.use(History).keep(table);
    hooks.routes.tap((routes) => engine.heartbeats.routes(routes));
    let importer: Importer | undefined;
    hooks.methods.tap((methods) => {
      importer = addMethods(methods, kernel, { stores, engine });
    });
    hooks.commands.tap((commands) =>
      commands.add(importCommand(() => importer as Importer, engine.secrets)),
    );
    hooks.methods.tap((methods) => agents.addMethods(methods));
    hooks.prepare.tap(() => {
      const list = async (owner: string) =>
        [...known.all()].flatMap((one) => (one.owner === owner ? one.name : []));
      kernel.use(Owners).register({ kind: HELD, list, suspend: () => known.refresh() });
      kernel.use(Holdings).register(monitorsHeld(kernel.config));
    });
    kernel.subscribe(MonitorChanged, () => known.refreshChanged());
    kernel.subscribe(DatabaseChanged, () => known.refresh());
    kernel.subscribe(MonitorDue, ({ ids }) => {
      for (const id of ids) runner.now(id);
      agents.sessions?.now(ids);
    });
    hooks.start.tap(async () => {
      await known.refresh();
      peers.start();
      every('monitors', REFRESH_MS, () => known.refresh());
      every('pauses of monitors', SECOND_MS, () => known.look());
      every('agents of monitors', REFRESH_MS, async () => agents.sessions?.beat());
      every('checks of monitors', SECOND_MS, () => {
        runner.round();
        agents.taskChecks?.round();
      });
      every('results of monitors', SECOND_MS, async () => {
        await cutOff.round(share.size > 0);
        await recorder.flush();
      });
      every('verdicts of monitors', PERIOD_MS, () => rounds.run());
    });
    hooks.stop.tap(async () => {
      runner.end();
      agents.taskChecks?.end();
      await recorder.flush();
      await cutOff.end();
      await rounds.end();
      await known.end();
    });
  },
});
