import type { Alerts } from '@svc/plugin-alert/api';
import type { Audit } from '@svc/plugin-audit/api';
import type { Postgres } from '@svc/plugin-database-postgres/api';
import type { Sqlite } from '@svc/plugin-database-sqlite/api';
import type { DatabaseFiles } from '@svc/plugin-db/api';
import type { Notify } from '@svc/plugin-notify/api';
import { type ConfigurationFile, type Database, UserError } from '@svc/plugin-sdk';
import type { StaticBuckets } from '@svc/plugin-static-bucket/api';
import type { Server } from './backup.ts';

/** Services that know the data; undefined: the plugin is not loaded. */
export interface Ways {
  readonly audit: Audit | undefined;
  readonly sqlite: Sqlite | undefined;
  readonly postgres: Postgres | undefined;
  readonly callers: DatabaseFiles | undefined;
  readonly buckets: StaticBuckets | undefined;
  readonly configuration: ConfigurationFile | undefined;
  readonly notify: Notify | undefined;
  readonly alerts: Alerts | undefined;
}

/** The drivers are loaded where a copy is made: this plugin is there in every start. @throws UserError for a database of a third kind */
export function snapshotOf(
  { sqlite, postgres }: Ways,
  report: (line: string) => void,
): Pick<Server, 'database' | 'snapshot'> {
  const file = sqlite?.mainFile();
  if (file !== undefined) {
    const done = (share: number) => report(`copying the database: ${Math.floor(100 * share)} %`);
    const snapshot = async (to: string) => {
      const { copySqlite } = await import('./snapshot-sqlite.ts');
      return copySqlite(file, to, done);
    };
    return { database: 'sqlite', snapshot };
  }
  const settings = postgres?.connectionSettings();
  if (!settings) throw new UserError('only databases on SQLite and Postgres can be backed up');
  const done = (table: string, rows: number) => report(`copying ${table}: ${rows} rows`);
  const snapshot = async (to: string) => {
    const { copyPostgres } = await import('./snapshot-postgres.ts');
    return copyPostgres(settings, to, done);
  };
  return { database: 'postgres', snapshot };
}

/**
 * Does work while no server runs on the database. On Postgres the lock of migrations, which the work takes itself, keeps servers
 * from starting. @throws UserError when one is running
 */
export async function whileLocked<T>(
  { sqlite, postgres }: Ways,
  db: Database,
  work: () => Promise<T>,
): Promise<T> {
  const file = sqlite?.mainFile();
  const isPostgres = postgres?.connectionSettings() !== undefined;
  const [running] = isPostgres ? await postgres.servers(db) : [];
  if (running)
    throw new UserError(
      `database.database_url: a server is running on this database, from ${running.from}; stop it, or make a new database for the restore`,
    );
  const unlock = file === undefined ? undefined : await sqlite?.lock(file);
  try {
    return await work();
  } finally {
    unlock?.();
  }
}
