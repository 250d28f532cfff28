import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ShareRules } from '@svc/fair-turns';
import { UserError } from '@svc/plugin-sdk';
import { codeOf, numberOption, wordOption } from '@svc/plugin-sdk/driver';
import type { DatabaseHandle, DatabaseRequest } from '@svc/plugin-sdk/sql';
import type { ConnectionSettings } from './connection.ts';
import type { Room } from './disk-room.ts';
import { lockForServing } from './lock.ts';
import { defaultReserve, Reserve } from './reserve.ts';
import type { SqliteUrl } from './url.ts';
import { Writer } from './writer.ts';

/**
 * Opens a SQLite file. In the mode `serve` no second server may have it open. `standing`: of the callers whose SQL and
 * long reads wait for turns.
 * @throws UserError that says what to change
 */
export async function openSqlite(
  url: SqliteUrl,
  request: DatabaseRequest,
  standing?: ShareRules['standing'],
): Promise<DatabaseHandle> {
  const file = resolve(url.file);
  checkFile(file, url.create, request.mode === 'look');
  const settings: ConnectionSettings & Room = {
    file,
    reserve_bytes: await reserveBytes(file, request.options),
    role: request.mode === 'look' ? 'main' : 'writer',
    create: url.create,
    synchronous: wordOption(request.options, 'sqlite_synchronous', ['NORMAL', 'FULL']),
  };
  const isServer = request.mode === 'serve';
  const unlock = isServer ? lockForServing(file) : () => {};
  const writer = new Writer(settings, request.log, request.clock);
  try {
    // The query builder is loaded while the thread starts.
    const opened = writer.query('select 1', []);
    const [{ SqliteDatabase }] = await Promise.all([import('./database.ts'), opened]);
    const reserve = isServer ? new Reserve(file, settings.reserve_bytes, request.log) : undefined;
    const ended = async () => {
      await reserve?.close();
      unlock();
    };
    const { log, options } = request;
    return new SqliteDatabase(settings, writer, { log, options, standing, ended });
  } catch (error) {
    await writer.end();
    unlock();
    const cause = (error as Error).cause ?? error;
    const { message } = cause as Error;
    // The thread passes the driver's error on as its cause.
    const reason = /^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(cause))
      ? `it is damaged, or no SQLite database (${message}): restore a backup, or move the file away to begin anew`
      : (error as Error).message;
    throw new UserError(`database.database_url: cannot open ${file}: ${reason}`, { cause: error });
  }
}

const reserveBytes = (
  file: string,
  options: DatabaseRequest['options'],
): Promise<number> | number =>
  options['sqlite_reserve_mb'] === undefined
    ? defaultReserve(file)
    : numberOption(options, 'sqlite_reserve_mb', { minimum: 0, fallback: 0 }) * 2 ** 20;

function checkFile(file: string, create: boolean, examineOnly: boolean): void {
  const kind = statSync(file, { throwIfNoEntry: false });
  if (kind?.isDirectory())
    throw new UserError(`database.database_url: ${file} is a directory, not a database file`);
  if (kind) return;
  if (!create) {
    throw new UserError(
      `database.database_url: ${file} does not exist; add ?mode=rwc to have it created`,
    );
  }
  if (examineOnly) {
    const error = new UserError(`${file} does not exist yet; the first start makes it`);
    throw Object.assign(error, { code: 'NOT_YET' });
  }
  try {
    makeFolder(dirname(file));
  } catch (cause) {
    const reason = `its folder cannot be made: ${(cause as Error).message}`;
    throw new UserError(`database.database_url: ${file}: ${reason}`, { cause });
  }
}

/** Level by level: Node's own recursion never ends where a level cannot be made in a folder that is there, as in `/proc`. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
