import type { Migration } from '@svc/plugin-sdk/sql';

/** Column for the time when an agent was registered, Unix ms; null: by a program that did not write it down. */
export const firstSeen: Migration = {
  name: '0002-first-seen',
  async up({ query }) {
    await query.schema.alterTable('monitoring_uuid', (table) => {
      table.bigInteger('first_seen');
    });
  },
};
