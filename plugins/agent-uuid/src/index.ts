import { DatabaseChanged, definePlugin, Type, topic } from '@svc/plugin-sdk';
import { AgentRegistry } from './api.ts';
import { examples } from './examples.ts';
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

/** The registry of agents: namespace `agent-uuid`, table `monitoring_uuid`, service `AgentRegistry`. */
export default definePlugin({
  name: 'agent-uuid',
  version: '0.6.0',
  examples,
  logTarget: 'monitoring',
  namespaces: ['agent-uuid'],
  provides: [AgentRegistry],
  config,
  reloadable: ['max_agents', 'deletion_hold_off_ms'],
  migrations,
  permissions,
  scopes,

  setup(kernel) {
    const { clock, config: settings, db, hooks, log } = kernel;
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
    kernel.provide(AgentRegistry, registry);

    hooks.methods.tap((methods) => addMethods(methods, registry));
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
