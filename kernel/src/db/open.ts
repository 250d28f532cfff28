import type { Database } from '@svc/plugin-sdk';
import { UserError } from '@svc/plugin-sdk';
import type { DatabaseHandle, DatabaseRequest } from '@svc/plugin-sdk/sql';
import type { KernelHooks } from '../hooks.ts';

/**
 * Asks the drivers for the main database.
 * @throws UserError when no driver opens this kind of database, or the driver says why it cannot
 */
export async function openDatabase(
  { database }: Pick<KernelHooks, 'database'>,
  request: DatabaseRequest,
): Promise<DatabaseHandle> {
  const db = await database.promise(request);
  if (db) return db;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(request.url)?.[1]?.toLowerCase() ?? '';
  const kind = `'${scheme}' is no known kind of database`;
  throw new UserError(`database.database_url: ${kind}; no loaded plugin drives it`);
}

/** Stands for the database until its driver has opened it. */
export const notOpen = new Proxy({} as Database, {
  get: () => {
    throw new Error('the database is not open while its driver is set up');
  },
});
