import { Standings, standingIn } from '@svc/fair-turns';
import { definePlugin } from '@svc/plugin-sdk';
import type { ClientConfig } from 'pg';
import { Postgres } from './api.ts';
import { isPostgresUrl } from './url.ts';

/** Opens the main database from `postgres://…`. */
export default definePlugin({
  name: 'database-postgres',
  drives: ['postgres', 'postgresql'],
  optional: [Standings],
  provides: [Postgres],
  // Servers that share a database need a bus, also where the list does not name it.
  brings: ['bus-postgres'],

  setup(kernel) {
    let settings: ClientConfig | undefined;
    kernel.provide(Postgres, {
      connectionSettings: () => settings,
      servers: async (db) => (await import('./servers.ts')).runningServers(db),
      copy: async (...given) => (await import('./sink.ts')).copyRows(...given),
    });
    kernel.hooks.database.tap(async (request) => {
      if (!isPostgresUrl(request.url)) return undefined;
      // Loaded only where it is used: the library costs memory.
      const { openPostgres } = await import('./open.ts');
      const { connectionSettings } = await import('./connection.ts');
      settings = connectionSettings(request.url, request);
      return openPostgres(request, standingIn(kernel));
    });
  },

  async examine({ clock, db, server }) {
    if (db.dialect !== 'postgres') return [];
    const { examine } = await import('./examine.ts');
    const { examineServers } = await import('./servers.ts');
    return [...(await examine(db, clock)), ...(await examineServers(db, server.version))];
  },
});
