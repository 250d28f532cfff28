import type { Migration } from '@svc/plugin-sdk/sql';

/** Topmost token above a deleted one with dependents, for which these count; null: none. */
export const holder: Migration = {
  name: '0006-holder',
  async up({ query }) {
    await query.schema.alterTable('token_gone', (table) => {
      table.text('holder');
      table.index(['holder'], 'token_gone_holder');
    });
  },
};
