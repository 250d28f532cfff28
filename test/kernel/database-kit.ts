import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kernel, Logger } from '@svc/plugin-sdk';
import type { Fields } from '@svc/plugin-sdk/kernel';
import type { DatabaseHandle, DatabaseRequest } from '@svc/plugin-sdk/sql';
import type { Knex } from 'knex';
import { machineClock } from '../../kernel/src/clock.ts';
import { openDatabase } from '../../kernel/src/db/open.ts';
import { createHooks } from '../../kernel/src/hooks.ts';
import postgres from '../../plugins/database-postgres/src/index.ts';
import sqlite from '../../plugins/database-sqlite/src/index.ts';
import { createDatabase, dropDatabase, sharedPostgres } from '../postgres.ts';
import { lacksPostgres } from '../runner/without-postgres.ts';

export type Dialect = 'sqlite' | 'postgres';

/** An empty database of its own; `remove` deletes it. */
export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

export async function emptyPlace(dialect: Dialect): Promise<Place> {
  if (dialect === 'sqlite') {
    const dir = mkdtempSync(join(tmpdir(), 'svc-db-'));
    const remove = async () => rmSync(dir, { recursive: true, force: true });
    return { url: `sqlite://${join(dir, 'test.db')}?mode=rwc`, remove };
  }
  const url = await createDatabase(sharedPostgres());
  return { url, remove: () => dropDatabase(url) };
}

/** Keys of `[database]`. */
export type Options = Record<string, unknown>;

export const defaults: Options = {
  // A connection, or the thread that stands in for one, may take its time on a busy machine.
  connect_timeout_ms: 30_000,
  acquire_timeout_ms: 30_000,
  idle_timeout_ms: 3_000,
  max_lifetime_ms: 30_000,
  max_connections: 10,
  statement_timeout_ms: 60_000,
};

/** A logger that remembers what it was told. */
export interface MemoryLog extends Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly fields?: Fields }[];
}

export function memoryLog(): MemoryLog {
  const lines: MemoryLog['lines'] = [];
  const write = (level: string) => (message: string, fields?: Fields) =>
    void lines.push(fields ? { level, message, fields } : { level, message });
  const log: MemoryLog = {
    lines,
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    enabled: () => true,
    target: () => log,
    span: () => log,
  };
  return log;
}

export const openAt = (
  url: string,
  options: Options = {},
  log: Logger = memoryLog(),
): Promise<DatabaseHandle> => openWith({ url, options, log });

/** Opens a database as a server does. */
export const serveAt = (url: string): Promise<DatabaseHandle> => openWith({ url, mode: 'serve' });

/** Asks both drivers, as the kernel does. */
async function openWith(
  request: Pick<DatabaseRequest, 'url'> & Partial<DatabaseRequest>,
): Promise<DatabaseHandle> {
  const hooks = createHooks();
  const database = {
    tap: (open: (request: DatabaseRequest) => Promise<DatabaseHandle | undefined>) =>
      hooks.database.tapPromise('driver', open),
  };
  const kernel = {
    hooks: { database },
    provide: () => {},
    defer: () => {},
    useOptional: () => undefined,
  };
  for (const driver of [sqlite, postgres])
    await driver.setup(kernel as unknown as Kernel<never, never>);
  const options = { ...defaults, ...request.options };
  const given = { log: memoryLog(), clock: machineClock, mode: 'tool' as const };
  return openDatabase(hooks, { ...given, ...request, options });
}

/** The query builder's library below a handle, for tests that look at its pool. */
export const knexOf = (db: DatabaseHandle): Knex => db.query as unknown as Knex;

/** Runs `work` on an empty database, then closes and removes it. */
export async function withDatabase(
  dialect: Dialect,
  work: (db: DatabaseHandle, url: string) => Promise<void>,
  config: Options = {},
): Promise<void> {
  const place = await emptyPlace(dialect);
  try {
    const db = await openAt(place.url, config);
    try {
      await work(db, place.url);
    } finally {
      await db.close();
    }
  } finally {
    await place.remove();
  }
}

/** The error that `work` throws. @throws when it throws none, and what a run without Postgres throws */
export async function failure(work: Promise<unknown>): Promise<Error & { code?: unknown }> {
  let result: unknown;
  try {
    result = await work;
  } catch (error) {
    if (lacksPostgres(error)) throw error;
    return error as Error;
  }
  throw new Error(`it gave ${JSON.stringify(result)} instead of an error`);
}

/** Waits until something holds. @throws after 30 s */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); ) {
    if (Date.now() > end) throw new Error('it did not come to pass within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
