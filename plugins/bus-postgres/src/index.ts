import { type BusTransport, BusTransports } from '@svc/plugin-bus/api';
import { BUS_APPLICATION, Postgres } from '@svc/plugin-database-postgres/api';
import { definePlugin, type Kernel, Type } from '@svc/plugin-sdk';
import type { ClientConfig } from 'pg';
import { Connection } from './connection.ts';
import { create } from './migrations/0001-create.ts';
import { removeOld } from './store.ts';

const CLEAN_MS = 15_000;

const config = Type.Object({
  database_url: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?:.+',
      description:
        'Address of the same database for the one connection of the bus, where `database.database_url` leads through a pooler.',
    }),
  ),
});

/** Carries the bus over the Postgres database that the servers share (LISTEN and NOTIFY). */
export default definePlugin({
  name: 'bus-postgres',
  version: '0.7.0',
  requires: [BusTransports],
  optional: [Postgres],
  brings: ['bus'],
  config,
  migrations: [create],
  guards: { bus_message: 'secret' },

  setup(kernel) {
    const { db } = kernel;
    const settings = settingsOf(kernel, kernel.config.database_url);
    if (!settings) return;
    const transport: BusTransport = {
      name: 'postgres',
      // With room for the frame's own head; a notification takes 7,999.
      frameBytes: 7_800,
      connect: (link) => Connection.open(settings, link),
    };
    kernel.use(BusTransports).offer(transport);
    kernel.every('remove old bus messages', CLEAN_MS, () => removeOld(db));
  },
});

/** As the pool connects; undefined where the main database is no Postgres. */
function settingsOf(kernel: Kernel<unknown>, url: string | undefined): ClientConfig | undefined {
  const pool = kernel.useOptional(Postgres)?.connectionSettings();
  if (!pool) return undefined;
  const { connectionString, connectionTimeoutMillis } = pool;
  return {
    connectionString: url ?? connectionString,
    connectionTimeoutMillis,
    keepAlive: true,
    application_name: `${BUS_APPLICATION} ${kernel.server.version}`,
  } as ClientConfig;
}
