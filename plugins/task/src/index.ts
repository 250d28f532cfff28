import { LastReports } from '@svc/plugin-agent/api';
import { AgentList, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { History } from '@svc/plugin-retention/api';
import { definePlugin, RpcError, reload, Type } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { addAgentFacts } from './agent-facts.ts';
import { Probes, Tasks } from './api.ts';
import { endedTasks } from './ended-tasks.ts';
import { examples } from './examples.ts';
import { addCreateMethods } from './methods/create.ts';
import { addListMethods } from './methods/lists.ts';
import { addRegisterMethod } from './methods/register.ts';
import { addSeriesMethod } from './methods/series.ts';
import { addUploadMethod } from './methods/upload.ts';
import { migrations } from './migrations/index.ts';
import { createFailOld, failOldPeriod } from './old-tasks.ts';
import { permissions } from './permissions.ts';
import { ARRIVED, ListStore } from './store/lists.ts';
import { openProbes } from './store/series.ts';
import { createTasking } from './tasking.ts';
import { createUploads } from './uploads.ts';

const config = Type.Object({
  fail_running_after_ms: Type.Integer({
    minimum: 0,
    default: 900_000,
    description:
      'A task without result fails this long after its creation, web_shell excepted. Agents work up to 600,000 ms. 0: never.',
  }),
  max_upload_bytes: Type.Integer({
    minimum: 0,
    maximum: 536_870_912,
    default: 100_663_296,
    description: 'Largest message of a registered agent where max_request_body_size is smaller.',
  }),
  max_result_bytes: Type.Integer({
    minimum: 0,
    default: 4_294_967_296,
    description: 'Bytes of the stored tasks of one agent with their results; 0: no limit.',
  }),
});

/** Tasks for agents and their results: namespace `task`, table `task`, service `Tasks` (task.md). */
export default definePlugin({
  name: 'task',
  examples,
  namespaces: ['task'],
  requires: [AgentRegistry, AgentList, History],
  optional: [LastReports, Tokens],
  provides: [Tasks, Probes],
  brings: ['retention'],
  config: reload(config),
  migrations,
  // Each task has a credential of its own, and tasks are commands to agents.
  guards: { task: 'secret', task_usage: 'counter', task_version: 'fixed' },
  permissions,

  setup(kernel) {
    const { auth, clock, config: settings, hooks, server, signal: stopping } = kernel;
    const registry = kernel.use(AgentRegistry);
    const maxBytes = () => settings.max_result_bytes;
    const tasking = createTasking(kernel, registry, maxBytes);
    const { store, room, versions, completions, deliveries, creator, service } = tasking;
    const lists = new ListStore(kernel.db);
    const probes = openProbes(kernel.db);
    kernel.provide(Tasks, service);
    addAgentFacts(kernel.use(AgentList), tasking);
    kernel.provide(Probes, probes);

    hooks.methods.tap((methods) => {
      const maxUploadBytes = () => settings.max_upload_bytes;
      addRegisterMethod(methods, { auth, clock, stopping, deliveries, maxUploadBytes });
      addCreateMethods(methods, auth, creator);
      const storeResult = createUploads(auth, { store, room, versions, completions });
      addUploadMethod(methods, kernel.useOptional(Tokens), storeResult, deliveries);
      addSeriesMethod(methods, probes);
      addListMethods(methods, {
        auth,
        store: lists,
        completions,
        maxBytes: () => server.maxResponseBytes(),
        proceed() {
          if (stopping.aborted) throw RpcError.other('the server stops; not all rows are deleted');
        },
      });
    });
    hooks.start.tap(() => {
      const age_ms = () => settings.fail_running_after_ms;
      const failOld = createFailOld(store, completions, { clock, age_ms });
      kernel.every('fail lost tasks', failOldPeriod(age_ms()), failOld);
    });
    hooks.stop.tap(() => deliveries.settled());
    kernel.use(History).keep({ ...ARRIVED, agents: endedTasks(kernel.db, registry, lists) });
  },
});
