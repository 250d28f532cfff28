import { resolve } from 'node:path';
import { RpcError } from '@svc/plugin-sdk';

const MAX_BYTES = 128;

/** The rule for names (db.md §1.3), which also keeps every file inside the directory. @throws RpcError 108 */
export function checkName(name: string): void {
  if (name === '') throw RpcError.invalid('db name cannot be empty');
  if (Buffer.byteLength(name) > MAX_BYTES) {
    throw RpcError.invalid(`db name too long (max ${MAX_BYTES} chars)`);
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) {
    throw RpcError.invalid('db name contains invalid characters (only [A-Za-z0-9_.-] allowed)');
  }
  if (name === '.' || name === '..') throw RpcError.invalid("db name cannot be '.' or '..'");
}

/** Files beside the database while it is open, and after a crash. */
export const SIDE_FILES = ['-wal', '-shm'] as const;

/** The folder of the databases. */
export interface Places {
  /** Absolute. */
  readonly directory: string;
  /** Absolute path of a database's file. @throws RpcError 108 for a name that breaks the rule */
  file(name: string): string;
  /** The path that callers are told: relative when `db_path` is. */
  shown(name: string): string;
}

/** @param path the configured `db_path`; relative ones start at the working directory */
export function placesIn(path: string): Places {
  const directory = resolve(path);
  const shown = path.replace(/\/+$/, '');
  return {
    directory,
    file(name) {
      checkName(name);
      return resolve(directory, `${name}.db`);
    },
    shown: (name) => `${shown}/${name}.db`,
  };
}
