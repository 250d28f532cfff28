import { mkdir } from 'node:fs/promises';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import type { CallerValue } from '@svc/plugin-sdk/sql';
import { codeOf, DISK_FULL, isDiskFull, KeyedQueue } from '@svc/plugin-sdk/util';
import { dropSecondName, hasLog, moveFiles, removeFiles, setAside } from './files.ts';
import type { Handle } from './handle.ts';
import type { Handles } from './handles.ts';
import type { Result } from './job.ts';
import { checkName, type Places } from './names.ts';
import { type Entry, type Store, taken } from './store.ts';

export interface DatabasesOptions {
  readonly store: Store;
  readonly handles: Handles;
  readonly places: Places;
  readonly now: () => number;
  readonly limits: Limits;
  /** Tells the other servers that a database was renamed or deleted. */
  readonly announce: (id: number) => void;
  readonly log: Logger;
}

/** Number of databases there may be before only the Super Token creates another; 0: no limit. */
export interface Limits {
  readonly max_databases: number;
}

/** A call's SQL on a named database. */
export interface Query {
  readonly sql: string;
  readonly params: () => Promise<CallerValue[]>;
  readonly owner: string;
  readonly signal: AbortSignal;
}

const missing = (name: string) => RpcError.notFound(`Database '${name}' not found`);
const notOpen = (name: string) => RpcError.database(`Database '${name}' not found`);
const never = new AbortController().signal;

/** Operations of the methods: the registry, the files and the connections together. */
export class Databases {
  readonly #options: DatabasesOptions;
  readonly #queue = new KeyedQueue();

  constructor(options: DatabasesOptions) {
    this.#options = options;
  }

  isOpen(id: number): boolean {
    return this.#options.handles.isOpen(id);
  }

  list(): Promise<Entry[]> {
    return this.#options.store.list();
  }

  /** @throws RpcError 105 */
  async read(name: string): Promise<Entry> {
    const entry = await this.#options.store.byName(name);
    if (!entry) throw missing(name);
    return entry;
  }

  /** `owner`: key of the token that creates it; null: the Super Token, which has no limit. */
  create(name: string, owner: string | null): Promise<Entry> {
    const { store, handles, places, now, log } = this.#options;
    checkName(name);
    return this.#queue.run(name, async () => {
      if (await store.byName(name)) throw taken(name);
      if (owner !== null) await this.#requireRoom(owner);
      const handle = handles.make(places.file(name));
      await mkdir(places.directory, { recursive: true }).catch(fail);
      await dropSecondName(handle.file, log);
      await open(handle);
      try {
        const entry = await store.insert(name, now(), owner);
        handles.adopt(entry.id, handle);
        return entry;
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  rename(name: string, new_name: string): Promise<Entry> {
    const { store, handles, places, announce, log } = this.#options;
    checkName(new_name);
    return this.#queue.run([name, new_name], async () => {
      const entry = await this.read(name);
      if (await store.byName(new_name)) throw taken(new_name);
      const from = places.file(name);
      const isTorn = !handles.isOpen(entry.id) && (await hasLog(from));
      const handle = handles.of(entry.id, from);
      if (!handle) throw missing(name);
      // Opening and closing folds its `-wal` into the file: one file is renamed at once, three are not.
      if (isTorn) await open(handle);
      await handle.exclusively(() => this.#move(handle, entry, new_name));
      announce(entry.id);
      await open(handle).catch((error: unknown) =>
        log.warn('a renamed database could not be opened', { name: new_name, error }),
      );
      return { ...entry, name: new_name };
    });
  }

  remove(name: string): Promise<void> {
    const { handles, places, announce } = this.#options;
    checkName(name);
    return this.#queue.run(name, async () => {
      const entry = await this.read(name);
      const handle = handles.of(entry.id, places.file(name));
      await handle?.exclusively(() => this.#delete(entry));
      announce(entry.id);
    });
  }

  async run(name: string, { params, ...query }: Query): Promise<Result> {
    const { store, handles, places } = this.#options;
    const entry = await store.byName(name);
    if (!entry || !isSound(name)) throw notOpen(name);
    const script = { ...query, params: await params() };
    if (query.sql.includes('\0')) throw RpcError.other('unrecognized token: U+0000');
    if (!handles.isOpen(entry.id)) await mkdir(places.directory, { recursive: true });
    const handle = handles.of(entry.id, places.file(name));
    if (!handle) throw notOpen(name);
    return handle.run(script).catch(fail);
  }

  /** Checks the limit before a file is made. All databases that are created at the same moment may exceed their limit together. @throws RpcError 108 */
  async #requireRoom(owner: string): Promise<void> {
    const { store, limits } = this.#options;
    await store.demandRoom(owner);
    const all = await store.count();
    const most = limits.max_databases;
    if (most > 0 && all >= most) {
      throw RpcError.invalid(
        `there are ${all} databases, as many as max_databases under [db] allows; delete some, or have the key raised`,
      );
    }
  }

  /** Renames the closed file and its entry in the registry, or neither. */
  async #move(handle: Handle, entry: Entry, new_name: string): Promise<void> {
    const { store, places, log } = this.#options;
    const to = places.file(new_name);
    const move = await moveFiles(places.file(entry.name), to, log);
    try {
      await store.rename(entry, new_name);
    } catch (error) {
      await move.undo();
      throw error;
    }
    await move.finish();
    handle.file = to;
  }

  /** Deletes the entry in the registry and its closed file, or neither. */
  async #delete(entry: Entry): Promise<void> {
    const { store, handles, places, log } = this.#options;
    const aside = await setAside(places.file(entry.name), log);
    try {
      if (!(await store.remove(entry))) throw missing(entry.name);
    } catch (error) {
      await aside.undo();
      throw error;
    }
    handles.end(entry.id, notOpen(entry.name));
    await removeFiles(aside.file, log);
  }
}

/** Opens a connection, which makes the file; also folds a left `-wal` into it. */
async function open(handle: Handle): Promise<void> {
  await handle.run({ sql: 'select 1', params: [], owner: '', signal: never }).catch(fail);
}

/** A name that was written into the registry by hand may lead out of the directory. */
function isSound(name: string): boolean {
  try {
    checkName(name);
    return true;
  } catch {
    // The error says which rule is broken; here it only matters that one is.
    return false;
  }
}

/** 999 with the driver's text: callers may see what is wrong with their own SQL. */
function fail(error: unknown): never {
  if (error instanceof RpcError) throw error;
  const text = (error instanceof Error ? error.message : String(error)) + adviceOf(error);
  throw RpcError.other(text, isDiskFull(error) ? { data: DISK_FULL } : {});
}

/** Names the limit of the configuration that a text has met. */
function adviceOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'SIZE_LIMIT') {
    return ': its file has the size that max_database_bytes under [db] allows; delete rows and run VACUUM, or have the limit raised';
  }
  return code === 'MEMORY_LIMIT' ? ' (max_memory_mb under [db]): ask for less at once' : '';
}
