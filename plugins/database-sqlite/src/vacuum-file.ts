import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { BoundStatement } from './placeholders.ts';
import { namesIn } from './split.ts';

const INTO = /^vacuum\s+(?:main\s+)?into\s+'((?:[^'\0]|'')+)'$/i;

/**
 * The file that a `VACUUM INTO` makes; undefined for any other statement.
 * @throws Error unless it lies below the folder, links followed, as a new file
 */
export function vacuumFile(
  { sql, body, word }: BoundStatement,
  folder: string | undefined,
): string | undefined {
  if (word !== 'vacuum' || !namesIn(sql).includes('into')) return undefined;
  if (folder === undefined)
    throw new Error('not authorized: no folder is configured for VACUUM INTO');
  const path = INTO.exec(body)?.[1]?.replaceAll("''", "'");
  if (path === undefined || !isAbsolute(path))
    throw new Error('not authorized: write VACUUM INTO with a full path as plain text');
  const file = join(realFolder(dirname(resolve(path))), basename(path));
  if (!isBelow(realFolder(folder), file))
    throw new Error(
      'not authorized: the file lies outside of the folder that is configured for VACUUM INTO',
    );
  if (existsSync(file)) throw new Error('the file for VACUUM INTO exists already');
  return path;
}

/** Makes it before the engine opens it: never through a link, and for the server's user only. @throws Error */
export function makeVacuumFile(statement: BoundStatement, folder: string | undefined): void {
  const file = vacuumFile(statement, folder);
  if (file !== undefined) closeSync(openSync(file, 'wx', 0o600));
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new Error(`not authorized: the folder of VACUUM INTO cannot be followed`, {
      cause: error,
    });
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
