import { AgentReported, LastReports } from '@svc/plugin-agent/api';
import { AgentList, AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Turn } from '@svc/plugin-retention/api';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import { addAgentFacts } from './agent-facts.ts';
import { AgentHistory } from './api.ts';
import { examine } from './examine.ts';
import { examples } from './examples.ts';
import { openHistory } from './history.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { PERIOD_MS, Rounds } from './rounds.ts';
import { Sightings } from './sightings.ts';
import { Store } from './store.ts';
import { Watch } from './watch.ts';

const TURN = { table: 'agent_event_state', holder: 'holder', row: 'id = 1', lasts_ms: 15_000 };

const days = (default_: number, what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: default_,
    description: `Days that ${what} kept.`,
  });

const config = Type.Object({
  silence_s: Type.Integer({
    minimum: 10,
    maximum: 86_400,
    default: 30,
    description: 'An agent has gone when it reported nothing for so many seconds.',
  }),
  keep_days: days(90, 'events are'),
  max_events: Type.Integer({
    minimum: 1_000,
    maximum: 10_000_000,
    default: 200_000,
    description: 'Events that are kept, about 0.3 kB each; the oldest go first.',
  }),
  keep_uptime_days: days(400, 'the uptime of agents is'),
});

/** Events of agents, and how long they were seen each day: `agent_events`, `agent_query_uptime`. */
export default definePlugin({
  name: 'agent-events',
  logTarget: 'monitoring',
  namespaces: ['agent'],
  requires: [AgentRegistry, AgentList, LastReports],
  provides: [AgentHistory],
  config: reload(config),
  migrations,
  examples,
  guards: {
    agent_event: 'fixed',
    agent_presence: 'fixed',
    agent_uptime: 'fixed',
    agent_event_state: 'fixed',
  },

  async examine({ clock, db, use }) {
    const registry = use(AgentRegistry);
    const heardSince = async (uuid: string, time: number) => {
      const agent = await registry.find(uuid);
      const [heard = 0] = agent ? await use(LastReports).heard([agent]) : [];
      return heard > time;
    };
    const uuidSql = registry.uuidSql.bind(registry);
    return examine({ db, now: clock.now(), uuidSql, heardSince });
  },

  setup(kernel) {
    const { auth, clock, config, db, every, hooks, server, subscribe } = kernel;
    const registry = kernel.use(AgentRegistry);
    const store = new Store(db, (column) => registry.uuidSql(column));
    const sightings = new Sightings(
      (uuid) => registry.known(uuid)?.id,
      () => config.silence_s * 1_000,
    );
    const last = kernel.use(LastReports);
    const turn = new Turn(db, TURN);
    const rounds = new Rounds({ kernel, registry, last, sightings, store, turn });
    const watch = new Watch(kernel, registry, store, (event) => rounds.record(event));
    addAgentFacts(kernel.use(AgentList), store);
    let running: Promise<void> = Promise.resolve();
    kernel.provide(AgentHistory, openHistory(db));
    let serves = false;

    subscribe(AgentReported, ({ kind, uuids }) => {
      // Static reports come seldom and show no presence.
      if (kind !== 'static') sightings.reported(uuids, clock.now());
    });
    hooks.methods.tap((methods) =>
      addMethods(methods, { auth, clock, registry, store, maxBytes: server.maxResponseBytes }),
    );
    hooks.start.tap(() => {
      serves = true;
      const detail = { version: server.version };
      rounds.record({ id: null, kind: 'server_restarted', time: clock.now(), detail });
      every('events of agents', PERIOD_MS, () => {
        running = rounds.run(watch);
        return running;
      });
    });
    hooks.stop.tap(async () => {
      await running;
      if (serves) await rounds.end();
    });
  },
});
