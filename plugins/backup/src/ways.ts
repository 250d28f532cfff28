import type { Postgres } from '@svc/plugin-database-postgres/api';
import type { Sqlite } from '@svc/plugin-database-sqlite/api';
import type { DatabaseFiles } from '@svc/plugin-db/api';
import { type ConfigurationFile, UserError } from '@svc/plugin-sdk';
import type { StaticBuckets } from '@svc/plugin-static-bucket/api';
import type { Server } from './backup.ts';
import { copyPostgres } from './snapshot-postgres.ts';
import { copySqlite } from './snapshot-sqlite.ts';

/** What other plugins tell of the data; undefined: the plugin is not loaded. */
export interface Ways {
  readonly sqlite: Sqlite | undefined;
  readonly postgres: Postgres | undefined;
  readonly callers: DatabaseFiles | undefined;
  readonly buckets: StaticBuckets | undefined;
  readonly configuration: ConfigurationFile | undefined;
}

/** @throws UserError for a database of a third kind */
export function snapshotOf(
  { sqlite, postgres }: Ways,
  tell: (line: string) => void,
): Pick<Server, 'database' | 'snapshot'> {
  const file = sqlite?.mainFile();
  if (file !== undefined) {
    const done = (share: number) => tell(`copying the database: ${Math.floor(100 * share)} %`);
    return { database: 'sqlite', snapshot: (to) => copySqlite(file, to, done) };
  }
  const settings = postgres?.connectionSettings();
  if (!settings) throw new UserError('only databases on SQLite and Postgres can be backed up');
  const done = (table: string, rows: number) => tell(`copying ${table}: ${rows} rows`);
  return { database: 'postgres', snapshot: (to) => copyPostgres(settings, to, done) };
}

/** On Postgres the lock of migrations, which the work takes itself, keeps servers from starting. */
export async function whileLocked<T>({ sqlite }: Ways, work: () => Promise<T>): Promise<T> {
  const file = sqlite?.mainFile();
  const unlock = file === undefined ? undefined : await sqlite?.lock(file);
  try {
    return await work();
  } finally {
    unlock?.();
  }
}
