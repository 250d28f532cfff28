import { mkdir } from 'node:fs/promises';
import { type Logger, RpcError, type SqlValue } from '@svc/plugin-sdk';
import { dropSecondName, hasLog, moveFiles, removeFiles, setAside } from './files.ts';
import type { Handle } from './handle.ts';
import type { Handles } from './handles.ts';
import type { Result } from './job.ts';
import { createLocks } from './locks.ts';
import { checkName, type Places } from './names.ts';
import { type Entry, type Store, taken } from './store.ts';

export interface DatabasesOptions {
  readonly store: Store;
  readonly handles: Handles;
  readonly places: Places;
  readonly now: () => number;
  /** Tells the other servers that a database was renamed or deleted. */
  readonly announce: (id: number) => void;
  readonly log: Logger;
}

/** A call's SQL on a named database. */
export interface Query {
  readonly sql: string;
  readonly params: () => SqlValue[];
  readonly owner: string;
  readonly signal: AbortSignal;
}

export type Databases = ReturnType<typeof createDatabases>;

const missing = (name: string) => RpcError.notFound(`Database '${name}' not found`);
const notOpen = (name: string) => RpcError.database(`Database '${name}' not found`);
const never = new AbortController().signal;

/** What the methods do: the registry, the files and the connections together. */
export function createDatabases(options: DatabasesOptions) {
  const { store, handles, places, now, announce, log } = options;
  const locked = createLocks();

  const registered = async (name: string): Promise<Entry> => {
    const entry = await store.byName(name);
    if (!entry) throw missing(name);
    return entry;
  };

  /** Opens a connection, which makes the file; also folds a left `-wal` into it. */
  const open = async (handle: Handle): Promise<void> => {
    try {
      await handle.run({ sql: 'select 1', params: [], owner: '', signal: never });
    } catch (error) {
      throw failed(error);
    }
  };

  return {
    store,
    isOpen: (id: number) => handles.isOpen(id),

    create(name: string): Promise<Entry> {
      checkName(name);
      return locked([name], async () => {
        if (await store.byName(name)) throw taken(name);
        const handle = handles.make(places.file(name));
        await mkdir(places.directory, { recursive: true }).catch(fail);
        await dropSecondName(handle.file, log);
        await open(handle);
        try {
          const entry = await store.insert(name, now());
          handles.adopt(entry.id, handle);
          return entry;
        } catch (error) {
          await handle.close();
          throw error;
        }
      });
    },

    read: registered,

    rename(name: string, new_name: string): Promise<Entry> {
      checkName(new_name);
      return locked([...new Set([name, new_name])], async () => {
        const entry = await registered(name);
        if (await store.byName(new_name)) throw taken(new_name);
        const [from, to] = [places.file(name), places.file(new_name)];
        const torn = !handles.isOpen(entry.id) && (await hasLog(from));
        const handle = handles.of(entry.id, from);
        if (!handle) throw missing(name);
        // Opening and closing folds what is beside the file into it: one file is renamed at once, three are not.
        if (torn) await open(handle);
        await handle.alone(async () => {
          const move = await moveFiles(from, to, log);
          try {
            await store.rename(entry, new_name);
          } catch (error) {
            await move.undo();
            throw error;
          }
          await move.finish();
          handle.file = to;
        });
        announce(entry.id);
        await open(handle).catch((error: unknown) =>
          log.warn('a renamed database could not be opened', { name: new_name, error }),
        );
        return { ...entry, name: new_name };
      });
    },

    remove(name: string): Promise<void> {
      checkName(name);
      return locked([name], async () => {
        const entry = await registered(name);
        const handle = handles.of(entry.id, places.file(name));
        await handle?.alone(async () => {
          const aside = await setAside(places.file(name), log);
          try {
            if (!(await store.remove(entry))) throw missing(name);
          } catch (error) {
            await aside.undo();
            throw error;
          }
          handles.end(entry.id, notOpen(name));
          await removeFiles(aside.file, log);
        });
        announce(entry.id);
      });
    },

    async run(name: string, { params, ...query }: Query): Promise<Result> {
      const entry = await store.byName(name);
      if (!entry || !isSound(name)) throw notOpen(name);
      const script = { ...query, params: params() };
      if (query.sql.includes('\0')) throw RpcError.other('unrecognized token: U+0000');
      if (!handles.isOpen(entry.id)) await mkdir(places.directory, { recursive: true });
      const handle = handles.of(entry.id, places.file(name));
      if (!handle) throw notOpen(name);
      try {
        return await handle.run(script);
      } catch (error) {
        throw failed(error);
      }
    },
  };
}

/** A name that somebody wrote into the registry by hand may lead out of the directory. */
function isSound(name: string): boolean {
  try {
    checkName(name);
    return true;
  } catch {
    // The rule says what is wrong; here it only matters that something is.
    return false;
  }
}

const fail = (error: unknown): never => {
  throw failed(error);
};

/** 999 with the driver's text: a caller's mistake in SQL is his to see. */
function failed(error: unknown): Error {
  if (error instanceof RpcError) return error;
  return RpcError.other(error instanceof Error ? error.message : String(error));
}
