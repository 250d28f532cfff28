import type { Migration } from '@svc/plugin-sdk/sql';

/** Private column `owner`: the key of the token that created the database; null for the Super Token and for rows from before. */
export const owner: Migration = {
  name: '0002-owner',
  async up({ query }) {
    await query.schema.alterTable('db_registry', (table) => {
      table.text('owner');
      table.index(['owner'], 'idx-db_registry-owner');
    });
  },
};
