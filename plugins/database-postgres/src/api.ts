import { type Database, service } from '@svc/plugin-sdk';
import type { QueryBuilder, SqlValue } from '@svc/plugin-sdk/sql';
import type { ClientConfig } from 'pg';

/** Facts about the main database for a plugin that speaks Postgres itself. */
export interface Postgres {
  /** Settings with which the pool connects, for a connection of the plugin's own; undefined when the main database is another one. */
  connectionSettings(): ClientConfig | undefined;
  /** The servers that are connected to this database, whatever their schema. */
  servers(db: Database): Promise<RunningServer[]>;
  /** Rows by COPY, within a transaction. A value may be the text of its column's type. @throws the driver's error */
  copy(
    transaction: QueryBuilder,
    to: { readonly table: string; readonly columns: readonly string[] },
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
}
export const Postgres = service<Postgres>('postgres');

export interface RunningServer {
  /** Address of its machine. */
  readonly from: string;
  /** Empty: it tells none. */
  readonly version: string;
}

/** Name of a server's connections in `pg_stat_activity`. */
export const SERVER_APPLICATION = 'svc-server';
/** Application name of its bus, before its version. */
export const BUS_APPLICATION = 'svc-server bus';
