import { type BusTransport, BusTransports } from '@svc/plugin-bus/api';
import { BUS_APPLICATION, Postgres } from '@svc/plugin-database-postgres/api';
import { definePlugin, fileOnly, type Kernel, secretKey, Type } from '@svc/plugin-sdk';
import type { ClientConfig } from 'pg';
import { Connection } from './connection.ts';
import { create } from './migrations/0001-create.ts';
import { notifyBeside, removeOld } from './store.ts';

const CLEAN_MS = 15_000;
const HEAR_AGAIN_MS = 20_000;
const DEAF =
  'The bus hears no other server: its connection leads through a pooler in transaction mode, which knows no LISTEN. Let bus-postgres.database_url name Postgres itself.';

const config = Type.Object({
  database_url: fileOnly(
    secretKey(
      Type.Optional(
        Type.String({
          pattern: '^postgres(ql)?:.+',
          description:
            'Address of the same database for the one connection of the bus, where `database.database_url` leads through a pooler.',
        }),
      ),
    ),
  ),
});

/** Carries the bus over the Postgres database that the servers share (LISTEN and NOTIFY). */
export default definePlugin({
  name: 'bus-postgres',
  requires: [BusTransports],
  optional: [Postgres],
  brings: ['bus'],
  config,
  migrations: [create],
  guards: { bus_message: 'secret' },

  setup(kernel) {
    const { db, log } = kernel;
    const settings = settingsOf(kernel, kernel.config.database_url);
    if (!settings) return;
    const transport: BusTransport = {
      name: 'postgres',
      // With room for the frame's own head; a notification takes 7,999.
      frameBytes: 7_800,
      async connect(link) {
        latest = await Connection.open(settings, link);
        void warnIfDeaf(latest);
        return latest;
      },
    };
    let latest: Connection | undefined;
    let isTold = false;
    /** Warns of a deaf connection. Nothing waits for it, because the probe of one takes seconds. */
    const warnIfDeaf = async (connection: Connection) => {
      try {
        if (isTold || (await connection.hears((...notice) => notifyBeside(db, ...notice)))) return;
        isTold = true;
        log.warn(DEAF);
      } catch (error) {
        // The connection was lost meanwhile, which the bus tells.
        log.debug('the bus could not be tried', { error });
      }
    };
    kernel.use(BusTransports).offer(transport);
    kernel.every('remove old bus messages', CLEAN_MS, () => removeOld(db));
    // Where the connection does something at that moment, one notification arrives behind a pooler, too.
    kernel.every('hear of the bus', HEAR_AGAIN_MS, async () => {
      if (latest && !isTold) await warnIfDeaf(latest);
    });
  },
});

/** Returns the connection settings of the pool; undefined where the main database is no Postgres. */
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
