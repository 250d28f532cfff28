import { service } from '@svc/plugin-sdk';
import type { ClientConfig } from 'pg';

/** What a plugin that speaks Postgres itself needs to know of the main database. */
export interface Postgres {
  /** How the pool connects, for a connection of the plugin's own; undefined when the main database is another one. */
  connectionSettings(): ClientConfig | undefined;
}
export const Postgres = service<Postgres>('postgres');
