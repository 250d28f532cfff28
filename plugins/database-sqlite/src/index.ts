import { resolve } from 'node:path';
import { Standings, standingIn } from '@svc/fair-turns';
import { definePlugin } from '@svc/plugin-sdk';
import { startAhead } from './ahead.ts';
import { Sqlite, SqliteFiles } from './api.ts';
import { OpenFiles } from './open-files.ts';
import { sqliteUrl } from './url.ts';

/** Opens the main database from `sqlite://…`, and SQLite files of other plugins. */
export default definePlugin({
  name: 'database-sqlite',
  drives: ['sqlite'],
  ahead: startAhead,
  optional: [Standings],
  provides: [SqliteFiles, Sqlite],

  setup(kernel) {
    const files = new OpenFiles();
    kernel.provide(SqliteFiles, { open: (file, limits) => files.open(file, limits) });
    kernel.defer('SQLite files', () => files.close());
    let mainFile: string | undefined;
    kernel.provide(Sqlite, {
      mainFile: () => mainFile,
      lock: async (file) => (await import('./lock.ts')).lockForServing(file),
    });
    kernel.hooks.database.tap(async (request) => {
      const url = sqliteUrl(request.url);
      if (!url) return undefined;
      // Loaded only where it is used: the library is native code, which a server on another database does not need.
      const { openSqlite } = await import('./open.ts');
      mainFile = resolve(url.file);
      return openSqlite(url, request, standingIn(kernel));
    });
  },

  async examine({ db }) {
    if (db.dialect !== 'sqlite') return [];
    const { examine } = await import('./examine.ts');
    return examine(db);
  },
});
