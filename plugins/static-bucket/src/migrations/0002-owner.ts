import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Columns of a bucket: `owner`, the key of the token that wrote the record last, null for the Super Token and for rows from
 * before; private, `owner_global`: that token could write every bucket then. Table `static_file_former`: directories
 * of buckets that are deleted or have moved, whose files stay on the disk, each ending in `/`, with the last bucket's name.
 */
export const owner: Migration = {
  name: '0002-owner',
  async up({ query }) {
    await query.schema.alterTable('static_file', (table) => {
      table.text('owner');
      table.boolean('owner_global');
    });
    await query.schema.createTable('static_file_former', (table) => {
      table.text('path').notNullable().primary();
      table.text('name').notNullable();
    });
  },
};
