import { AgentList, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { History } from '@svc/plugin-retention/api';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import {
  type Erase,
  FullStored,
  HostNames,
  LastReports,
  PRESENCE_RIGHT,
  ReportBuckets,
  SummaryStored,
} from './api.ts';
import { examples } from './examples.ts';
import { keepHistory } from './history.ts';
import { addHostNames, openHostNames } from './host-names.ts';
import { createFeeds } from './live/live.ts';
import { reportFamilies } from './meters.ts';
import { addDeleteMethods } from './methods/deletes.ts';
import { addMultiLastMethods } from './methods/multi-last.ts';
import { addQueryMethods } from './methods/queries.ts';
import { addReportMethods } from './methods/reports.ts';
import { addSubscribeMethod } from './methods/subscribe.ts';
import { migrations } from './migrations/index.ts';
import { createMonitoring } from './monitoring.ts';
import { permissions } from './permissions.ts';
import { watchRejections } from './rejections.ts';
import { retentionConfig } from './retention.ts';
import { openBuckets } from './store/buckets.ts';

const least = (default_: number, description: string) =>
  Type.Integer({ minimum: 1, default: default_, description });

const rootConfig = Type.Object({
  monitoring_buffer: Type.Object(
    {
      flush_interval_ms: least(
        200,
        'A commit of reports begins this long after its first one, or when 64 wait and the writer is idle; larger values count as 200.',
      ),
      max_batch_size: least(1000, 'Reports of one commit at most.'),
      channel_capacity: least(10_000, 'Reports of one kind that may wait; senders wait beyond.'),
    },
    { default: {}, description: 'Group commit of monitoring reports.' },
  ),
});

/** Reports, queries and deletes of monitoring data: namespace `agent` (agent.md, monitoring-data.md). */
export default definePlugin({
  name: 'agent',
  examples,
  logTarget: 'monitoring',
  namespaces: ['agent'],
  requires: [AgentRegistry, AgentList, History],
  optional: [Metrics],
  brings: ['retention'],
  provides: [HostNames, LastReports, ReportBuckets, SummaryStored, FullStored],
  config: reload(Type.Object(retentionConfig)),
  rootConfig,
  migrations,
  guards: {
    static_monitoring: 'data',
    dynamic_monitoring: 'data',
    dynamic_monitoring_summary: 'data',
  },
  permissions,

  setup(kernel) {
    const { auth, hooks, root, server } = kernel;
    const monitoring = createMonitoring(kernel, kernel.use(AgentRegistry), root.monitoring_buffer);

    const feeds = createFeeds(kernel, kernel.use(AgentRegistry), monitoring.last);

    kernel.useOptional(Metrics)?.add(...reportFamilies(monitoring.appenders));
    kernel.provide(LastReports, monitoring.lastReports);
    kernel.provide(SummaryStored, monitoring.committed.summary);
    kernel.provide(FullStored, monitoring.committed.dynamic);
    const erasers: Erase[] = [];
    const whenErased = (erase: Erase) => void erasers.push(erase);
    kernel.provide(ReportBuckets, { ...openBuckets(kernel.db), whenErased });
    kernel.use(AgentList).add({
      ...PRESENCE_RIGHT,
      async read(agents) {
        const heard = await monitoring.lastReports.heard(agents);
        return heard.map((last_seen) => ({ last_seen: last_seen ?? null }));
      },
    });
    const hostNames = openHostNames(monitoring.last.static);
    kernel.provide(HostNames, hostNames);
    addHostNames(kernel.use(AgentList), hostNames);
    hooks.methods.tap((methods) => {
      addReportMethods(methods, monitoring.reports);
      addQueryMethods(methods, monitoring, () => server.maxResponseBytes());
      addMultiLastMethods(methods, monitoring, auth);
      addDeleteMethods(methods, monitoring, async (kind, uuid) => {
        for (const erase of erasers) await erase(kind, uuid);
      });
      addSubscribeMethod(methods, feeds, auth);
    });
    hooks.ready.tap(() => {
      const warming = monitoring.warm();
      kernel.defer('reading ahead', () => warming);
    });
    keepHistory(kernel, kernel.use(AgentRegistry), monitoring);
    watchRejections(kernel);
  },
});
