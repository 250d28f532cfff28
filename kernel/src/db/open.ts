import type { Database, Logger } from '@svc/plugin-sdk';
import { openSqlite } from './sqlite/open.ts';
import { parseDatabaseUrl } from './url.ts';

/** The section `[database]` of configuration.md §1; times in ms. */
export interface DatabaseConfig {
  readonly database_url: string;
  readonly connect_timeout_ms: number;
  readonly acquire_timeout_ms: number;
  readonly idle_timeout_ms: number;
  readonly max_lifetime_ms: number;
  readonly max_connections: number;
  /** Postgres only: the database ends a statement after this; 0: never. Migrations and `execute` have limits of their own. */
  readonly statement_timeout_ms: number;
  /** SQLite only: `NORMAL` (default) survives a killed process, `FULL` also a power cut. */
  readonly sqlite_synchronous?: 'NORMAL' | 'FULL';
}

export interface OpenDatabase extends Database {
  /** Stores what the appenders hold, at most 8 s long, then closes every connection and thread. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly config: DatabaseConfig;
  readonly log: Logger;
  /** `serve`: refuses a SQLite file that another server uses. `tool`: a command beside a running server. */
  readonly mode: 'serve' | 'tool';
}

/**
 * Opens the main database.
 * @throws UserError when the address is wrong, the file or server is not there, or another server holds the file
 */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const url = parseDatabaseUrl(options.config.database_url);
  if (url.dialect === 'sqlite') return openSqlite(url, options);
  // Loaded only where it is used: the driver costs memory.
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres(url.url, options);
}
