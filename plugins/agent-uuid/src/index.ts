import { DatabaseChanged, definePlugin, reload, Type, topic } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { Gatherer } from './agent-list.ts';
import { AgentList, AgentRegistry } from './api.ts';
import { examples } from './examples.ts';
import { addListMethod } from './list-method.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { permissions, scopes } from './permissions.ts';
import { Registry } from './registry.ts';
import { AgentStore } from './store.ts';

/** Rows of these agents changed. */
const AgentsChanged = topic('agent-uuid.changed', Type.Array(Type.String()));

const config = Type.Object({
  max_agents: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Active agents at most: first reports beyond are refused. 0: no limit.',
  }),
  deletion_hold_off_ms: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'How long reports of a deleted agent are answered and not stored. 0: off.',
  }),
});

/** The registry of agents: namespace `agent-uuid`, table `monitoring_uuid`, services `AgentRegistry` and `AgentList`. */
export default definePlugin({
  name: 'agent-uuid',
  examples,
  logTarget: 'monitoring',
  namespaces: ['agent-uuid'],
  optional: [Tokens],
  provides: [AgentRegistry, AgentList],
  config: reload(config),
  migrations,
  guards: { monitoring_uuid: 'data' },
  permissions,
  scopes,

  setup(kernel) {
    const { auth, brand, clock, config: settings, db, hooks, log, server } = kernel;
    const failed = (error: unknown) => log.error('registry could not be read again', { error });

    const registry = new Registry({
      store: new AgentStore(db),
      now: () => clock.now(),
      maxAgents: () => settings.max_agents,
      holdOff_ms: () => settings.deletion_hold_off_ms,
      announce(uuids) {
        log.info('agents were registered or deleted', { agent_uuids: uuids.join(' ') });
        kernel.publish(AgentsChanged, uuids);
      },
      failed: (error) => log.error('listener of agent changes failed', { error }),
    });
    const gatherer = new Gatherer(auth);
    kernel.provide(AgentRegistry, registry);
    kernel.provide(AgentList, gatherer);

    hooks.methods.tap((methods) => {
      addMethods(methods, registry);
      const tokens = kernel.useOptional(Tokens);
      const maxBytes = server.maxResponseBytes;
      addListMethod(methods, { agents: registry, gatherer, brand, tokens, maxBytes });
    });
    hooks.prepare.tap(() => registry.reload());
    hooks.reload.tap(() => registry.reload());

    kernel.subscribe(AgentsChanged, (uuids, { own }) => {
      if (!own) registry.refresh(uuids).catch(failed);
    });
    kernel.subscribe(DatabaseChanged, () => {
      registry.reload().catch(failed);
    });
  },
});
