import { Standings, standingIn } from '@svc/plugin-admission/api';
import { definePlugin } from '@svc/plugin-sdk';
import type { ClientConfig } from 'pg';
import { Postgres } from './api.ts';
import { isPostgresUrl } from './url.ts';

/** Opens the main database from `postgres://…`. */
export default definePlugin({
  name: 'database-postgres',
  version: '0.6.0',
  drives: ['postgres', 'postgresql'],
  optional: [Standings],
  provides: [Postgres],
  // Servers that share a database need a bus, also where the list does not name it.
  brings: ['bus-postgres'],

  setup(kernel) {
    let settings: ClientConfig | undefined;
    kernel.provide(Postgres, { connectionSettings: () => settings });
    kernel.hooks.database.tap(async (request) => {
      if (!isPostgresUrl(request.url)) return undefined;
      // Loaded only where it is used: the library costs memory.
      const { openPostgres } = await import('./open.ts');
      const { connectionSettings } = await import('./connection.ts');
      settings = connectionSettings(request.url, request.options);
      return openPostgres(request, standingIn(kernel));
    });
  },

  async examine({ clock, db }) {
    if (db.dialect !== 'postgres') return [];
    const { examine } = await import('./examine.ts');
    return examine(db, clock);
  },
});
