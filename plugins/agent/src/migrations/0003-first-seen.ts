import type { Migration } from '@svc/plugin-sdk/sql';
import { STATIC } from '../kinds.ts';

/**
 * Column for when a static row was reported for the first time; null: once only, or only before this step
 * (monitoring-data.md §6.2).
 */
export const firstSeen: Migration = {
  name: '0003-first-seen',
  async up({ query }) {
    await query.schema.alterTable(STATIC.table, (table) => {
      table.bigInteger('first_timestamp');
      table.bigInteger('first_storage_time');
    });
  },
};
