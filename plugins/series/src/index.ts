import { LastReports, ReportBuckets } from '@svc/plugin-agent/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Turn } from '@svc/plugin-retention/api';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import { AgentSeries } from './api.ts';
import { eraseWithReports } from './erasures.ts';
import { examples } from './examples.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { SeriesReader } from './read.ts';
import { Rollup } from './rollup.ts';
import { Rounds } from './rounds.ts';
import { openSeries } from './service.ts';
import { BlockStore } from './store/blocks.ts';
import { StateStore } from './store/state.ts';
import { TrafficStore } from './store/traffic.ts';
import { addTrafficMethods } from './traffic/methods.ts';
import { plansOf, trafficKeys } from './traffic/plans.ts';

const PERIOD_MS = 60_000;
const TURN = {
  table: 'series_state',
  holder: 'value',
  row: `name = 'turn'`,
  lasts_ms: 600_000,
};

const days = (default_: number, what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: default_,
    description: `Days that rollups by the ${what} are kept.`,
  });

/** Reports over time: rollups and `agent_query_series`, traffic and `agent_query_traffic`. */
export default definePlugin({
  name: 'series',
  logTarget: 'monitoring',
  namespaces: ['agent'],
  requires: [AgentRegistry, LastReports, ReportBuckets],
  provides: [AgentSeries],
  config: reload(
    Type.Object({
      keep_minutes_days: days(60, 'minute'),
      keep_quarter_hours_days: days(730, 'quarter-hour'),
      ...trafficKeys,
    }),
  ),
  migrations,
  examples,
  guards: {
    series_rollup: 'fixed',
    series_state: 'fixed',
    traffic_day: 'fixed',
    traffic_counter: 'fixed',
  },

  setup(kernel) {
    const { clock, config, db, every, hooks } = kernel;
    const registry = kernel.use(AgentRegistry);
    const buckets = kernel.use(ReportBuckets);
    const blocks = new BlockStore(db);
    const state = new StateStore(db);
    const turn = new Turn(db, TURN);
    const rollup = new Rollup(buckets, blocks);
    const last = kernel.use(LastReports);
    const traffic = new TrafficStore(db);
    const parts = { kernel, registry, buckets, blocks, traffic };
    const rounds = new Rounds({ ...parts, rollup, state, turn, last });
    eraseWithReports({ ...parts, rounds });
    let running: Promise<void> = Promise.resolve();
    const reading = {
      ...{ clock, buckets, state },
      reader: new SeriesReader(buckets, blocks),
      keepMinutes_days: () => config.keep_minutes_days,
    };
    const planOf = plansOf(config);
    kernel.provide(AgentSeries, openSeries({ ...reading, traffic, planOf }));

    hooks.methods.tap((methods) => {
      addTrafficMethods(methods, { registry, store: traffic, planOf });
      addMethods(methods, { ...reading, registry });
    });
    hooks.start.tap(() =>
      every('roll up reports', PERIOD_MS, () => {
        running = rounds.run();
        return running;
      }),
    );
    hooks.stop.tap(() => running);
  },
});
