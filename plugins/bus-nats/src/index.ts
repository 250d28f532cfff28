import { definePlugin, EARLY } from '@svc/plugin-sdk';
import { config } from './config.ts';
import { Connection } from './connection.ts';
import { create } from './migrations/0001-create.ts';
import { readCluster } from './store.ts';

/** Carries the bus over NATS, where the section `[bus-nats]` names servers of one. */
export default definePlugin({
  name: 'bus-nats',
  version: '0.6.0',
  config,

  setup({ config: settings, db, hooks }) {
    hooks.migrations.tap((steps) => steps.add(create));
    if (settings.servers.length === 0) return;
    // Before what a database offers by itself.
    hooks.bus.tap(
      async () => {
        const cluster = settings.cluster ?? (await readCluster(db));
        return {
          name: 'nats',
          frameBytes: 64 * 1024,
          connect: (link) => Connection.open(settings, cluster, link),
        };
      },
      { stage: EARLY },
    );
  },
});
