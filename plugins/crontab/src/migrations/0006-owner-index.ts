import type { Migration } from '@svc/plugin-sdk/sql';

/** What an owner holds is counted at each change. */
export const ownerIndex: Migration = {
  name: '0006-owner-index',
  async up({ query }) {
    await query.schema.alterTable('crontab', (table) => {
      table.index(['owner'], 'idx-crontab-owner');
    });
  },
};
