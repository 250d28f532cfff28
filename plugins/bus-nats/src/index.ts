import { BusTransports } from '@svc/plugin-bus/api';
import { definePlugin, fileOnly } from '@svc/plugin-sdk';
import { config } from './config.ts';
import { Connection } from './connection.ts';
import { create } from './migrations/0001-create.ts';
import { readCluster } from './store.ts';

/** Carries the bus over NATS, where the section `[bus-nats]` names its servers. */
export default definePlugin({
  name: 'bus-nats',
  requires: [BusTransports],
  brings: ['bus'],
  // Servers believe what comes over the bus.
  config: fileOnly(config),
  migrations: [create],
  guards: { bus_cluster: 'fixed' },

  setup(kernel) {
    const { config: settings, db } = kernel;
    if (settings.servers.length === 0) return;
    let { cluster } = settings;
    kernel.use(BusTransports).offer(
      {
        name: 'nats',
        frameBytes: 64 * 1024,
        async connect(link) {
          cluster ??= await readCluster(db);
          return Connection.open(settings, cluster, link);
        },
      },
      { configured: true },
    );
  },
});
