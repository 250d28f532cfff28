import type { Migration } from '@svc/plugin-sdk/sql';

/** Creator of each token, and the last rights of deleted tokens with dependents. */
export const parent: Migration = {
  name: '0002-parent',
  async up({ query, types }) {
    // The key of the creating token; null: the Super Token, or created before this column.
    await query.schema.alterTable('token', (table) => {
      table.text('parent');
    });
    await query.schema.createTable('token_gone', (table) => {
      table.text('token_key').primary();
      table.specificType('token_limit', types.document).notNullable();
    });
  },
};
