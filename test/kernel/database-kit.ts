import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fields, Logger } from '@svc/plugin-sdk';
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../../kernel/src/db/open.ts';
import { createDatabase, dropDatabase } from '../postgres.ts';

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
  const maintenance = process.env['SVC_TEST_POSTGRES_URL'];
  if (maintenance === undefined) throw new Error('SVC_TEST_POSTGRES_URL is not set');
  const url = await createDatabase(maintenance);
  return { url, remove: () => dropDatabase(url) };
}

export const defaults: Omit<DatabaseConfig, 'database_url'> = {
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
  config: Partial<DatabaseConfig> = {},
  log: Logger = memoryLog(),
): Promise<OpenDatabase> =>
  openDatabase({ config: { ...defaults, ...config, database_url: url }, log, mode: 'tool' });

/** Runs `work` on an empty database, then closes and removes it. */
export async function withDatabase(
  dialect: Dialect,
  work: (db: OpenDatabase, url: string) => Promise<void>,
  config: Partial<DatabaseConfig> = {},
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

/** The error that `work` throws. @throws when it throws none */
export async function failure(work: Promise<unknown>): Promise<Error & { code?: unknown }> {
  let result: unknown;
  try {
    result = await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error(`it gave ${JSON.stringify(result)} instead of an error`);
}

/** Waits until something holds. @throws after 30 s */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !holds(); ) {
    if (Date.now() > end) throw new Error('it did not come to pass within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
