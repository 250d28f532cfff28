import type { Migration } from '@svc/plugin-sdk/sql';

/** Index for the count of what an owner holds, made at each change. */
export const ownerIndex: Migration = {
  name: '0004-owner-index',
  async up({ query }) {
    await query.schema.alterTable('js_worker', (table) => {
      table.index(['owner'], 'idx-js_worker-owner');
    });
  },
};
