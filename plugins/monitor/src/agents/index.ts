import { LastReports } from '@svc/plugin-agent/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { AgentValues } from '@svc/plugin-kv/api';
import type { Secrets } from '@svc/plugin-notify/api';
import type { Kernel, Methods } from '@svc/plugin-sdk';
import { Tasks } from '@svc/plugin-task/api';
import type { Owners } from '@svc/plugin-token/api';
import { MonitorChanged } from '../api.ts';
import type { Config } from '../config.ts';
import type { KnownMonitors } from '../engine/known.ts';
import type { AgentStore } from '../store/agents.ts';
import type { CertificateStore } from '../store/certificates.ts';
import { DensityStore } from '../store/density.ts';
import type { MonitorStore } from '../store/monitors.ts';
import type { ResultStore } from '../store/results.ts';
import type { StateStore } from '../store/states.ts';
import { addAgentMethods } from './methods.ts';
import { Placing } from './placing.ts';
import { Reports } from './reports.ts';
import { Sessions } from './sessions.ts';
import { TaskChecks } from './task-checks.ts';

export { Placing } from './placing.ts';

export interface AgentsParts {
  readonly kernel: Kernel<Config>;
  readonly stores: {
    readonly agents: AgentStore;
    readonly certificates: CertificateStore;
    readonly monitors: MonitorStore;
    readonly results: ResultStore;
    readonly states: StateStore;
  };
  readonly known: KnownMonitors;
  readonly owners: Owners;
  readonly secrets: Secrets | undefined;
}

/** Agents as places of monitors. */
export function openAgents({ kernel, stores, known, owners, secrets }: AgentsParts) {
  const { auth, clock, log, signal } = kernel;
  const registry = kernel.useOptional(AgentRegistry);
  const values = kernel.useOptional(AgentValues);
  const { agents: store, monitors } = stores;
  const tasks = kernel.useOptional(Tasks);
  const placing = new Placing({
    ...{ auth, clock, known, owners, registry, values, store, signal },
    ...{ hasTasks: tasks !== undefined, reports: kernel.useOptional(LastReports) },
  });
  const came = () => kernel.publish(MonitorChanged, {});
  const sessions = registry
    ? new Sessions({ clock, log, known, placing, monitors, registry, store, secrets, came })
    : undefined;
  const reports = new Reports({
    ...{ ...stores, clock, known, placing, density: new DensityStore(kernel.db) },
  });
  const shared = { kernel, known, placing, monitors, reports, secrets };
  const taskChecks = registry && tasks && new TaskChecks({ ...shared, registry, tasks });
  known.onRead(() => placing.update());
  known.onRead(async () => taskChecks?.update());
  return {
    placing,
    sessions,
    taskChecks,
    addMethods(methods: Methods) {
      if (registry && sessions) addAgentMethods(methods, { registry, reports, sessions });
    },
  };
}
