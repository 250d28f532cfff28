import { Alerts } from '@svc/plugin-alert/api';
import { Audit } from '@svc/plugin-audit/api';
import { Postgres } from '@svc/plugin-database-postgres/api';
import { Sqlite } from '@svc/plugin-database-sqlite/api';
import { DatabaseFiles } from '@svc/plugin-db/api';
import { Notify } from '@svc/plugin-notify/api';
import { ConfigurationFile, definePlugin } from '@svc/plugin-sdk';
import { StaticBuckets } from '@svc/plugin-static-bucket/api';
import { backupCommand, restoreCommand } from './commands.ts';

/** Commands `backup` and `restore`. */
export default definePlugin({
  name: 'backup',
  optional: [
    Audit,
    Postgres,
    Sqlite,
    DatabaseFiles,
    StaticBuckets,
    ConfigurationFile,
    Notify,
    Alerts,
  ],

  setup(kernel) {
    kernel.hooks.commands.tap((commands) => {
      const ways = {
        audit: kernel.useOptional(Audit),
        sqlite: kernel.useOptional(Sqlite),
        postgres: kernel.useOptional(Postgres),
        callers: kernel.useOptional(DatabaseFiles),
        buckets: kernel.useOptional(StaticBuckets),
        configuration: kernel.useOptional(ConfigurationFile),
        notify: kernel.useOptional(Notify),
        alerts: kernel.useOptional(Alerts),
      };
      commands.add(backupCommand(ways));
      commands.add(restoreCommand(ways));
    });
  },
});
