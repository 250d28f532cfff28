import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/driver';
import Sqlite from 'better-sqlite3';

/**
 * Holds `<file>.lock` for this process, so that a second server refuses to start on the same file. The operating
 * system drops the lock with the process, however it ends; commands do not take it and may run while a server does.
 * @returns releases it
 * @throws UserError when another server holds it
 */
export function lockForServing(file: string): () => void {
  const name = `${real(file)}.lock`;
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(name, { timeout: 0 });
    lock.exec('begin exclusive');
  } catch (error) {
    lock?.close();
    const reason =
      codeOf(error) === 'SQLITE_BUSY'
        ? `another server is running on ${file}; stop it, or give this one its own file or a Postgres database`
        : `cannot lock ${name}: ${(error as Error).message}`;
    throw new UserError(`database.database_url: ${reason}`, { cause: error });
  }
  const held = lock;
  return () => void held.close();
}

/** Tells whether a server holds `<file>.lock`. */
export function isServed(file: string): boolean {
  const name = `${real(file)}.lock`;
  if (!existsSync(name)) return false;
  const lock = new Sqlite(name, { readonly: true, timeout: 0 });
  try {
    lock.pragma('schema_version');
    return false;
  } catch (error) {
    if (codeOf(error) === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** The real path of the file, which need not exist yet. */
function real(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return join(realpathSync(dirname(file)), basename(file));
  }
}
