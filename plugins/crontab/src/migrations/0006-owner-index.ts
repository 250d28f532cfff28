import type { Migration } from '@svc/plugin-sdk/sql';

/** Index for counting what an owner holds, which each change does. */
export const ownerIndex: Migration = {
  name: '0006-owner-index',
  async up({ query }) {
    await query.schema.alterTable('crontab', (table) => {
      table.index(['owner'], 'idx-crontab-owner');
    });
  },
};
