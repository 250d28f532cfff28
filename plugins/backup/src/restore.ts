import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Postgres } from '@svc/plugin-database-postgres/api';
import { UserError } from '@svc/plugin-sdk';
import type { DatabaseHandle } from '@svc/plugin-sdk/sql';
import { type Load, load } from './load.ts';
import { postgresLoader } from './load-postgres.ts';
import { sqliteLoader } from './load-sqlite.ts';
import { DATABASE } from './manifest.ts';
import { type Backup, verify } from './reader.ts';
import { type Places, restoreFiles } from './restore-files.ts';

/** Destination of a restore. */
export interface Target extends Places, Pick<Load, 'db' | 'plugins' | 'steps'> {
  /** Undefined: there is no driver for Postgres. */
  readonly copy: Postgres['copy'] | undefined;
  /** Tells whether files are restored, too; otherwise the main database alone is. */
  readonly withFiles: boolean;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Called when the backup is sound and before anything is written; it throws to refuse. Its answer is called at the end. */
  readonly verified: () => Promise<() => Promise<void>>;
}

/**
 * Fills an empty database from a backup; no server starts on it meanwhile. The database comes last: until then it is
 * empty, and the restore can be repeated. @throws UserError
 */
export async function restore(backup: Backup, target: Target): Promise<void> {
  const { copy, db, plugins, steps, report } = target;
  await refuseFilled(db);
  await verify(backup, (path) => report(`verifying ${path}`));
  const finish = await target.verified();
  const file = join(target.scratch, 'database.sqlite');
  report('unpacking the database');
  await pipeline(backup.open(DATABASE), createGunzip(), createWriteStream(file, { mode: 0o600 }));
  if (target.withFiles) await restoreFiles(backup, target);
  const isSqlite = db.dialect === 'sqlite';
  if (isSqlite) await db.query.raw('attach database ? as archive', [file]);
  const loader: Load['loader'] =
    copy && !isSqlite ? (...on) => postgresLoader(...on, copy) : sqliteLoader;
  const copied = (table: string, rows: number) => report(`restoring ${table}: ${rows} rows`);
  await load({ db, plugins, steps, file, manifest: backup.manifest, loader, report: copied });
  await db.query.raw(isSqlite ? 'detach database archive' : 'analyze');
  await finish();
}

/** Refuses a destination that holds anything: nothing is written over. */
async function refuseFilled(db: DatabaseHandle): Promise<void> {
  const sizes = await db.tableSizes();
  const isLedger = await db.query.schema.hasTable('schema_migrations');
  if (sizes.length === 0 && !isLedger) return;
  throw new UserError(
    'the database of the configuration is not empty: a backup is restored into an empty database only. Name another file, or make a new database on Postgres, in database_url',
  );
}
