import { statSync } from 'node:fs';
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

/** Tells whether two paths are one file, also by another name: a link, or another way through the folders. */
function isSameFile(file: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  const [one, two] = [file, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return file === other || (one !== undefined && one.ino === two?.ino && one.dev === two.dev);
}

/** Files next to the database while it is open, and after a crash. */
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

/**
 * @param path the configured `db_path`; relative ones start at the working directory
 * @param mainFile the server's own database, which no name stands for; undefined: it is no file
 */
export function placesIn(path: string, mainFile: () => string | undefined): Places {
  const directory = resolve(path);
  const shown = path.replace(/(?<!\/)\/+$/, '');
  return {
    directory,
    file(name) {
      checkName(name);
      const file = resolve(directory, `${name}.db`);
      if (isSameFile(file, mainFile()))
        throw RpcError.other(`not authorized: '${name}' is the server's own database`);
      return file;
    },
    shown: (name) => `${shown}/${name}.db`,
  };
}
