import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Column `owner` of a former directory: that of its last bucket, for whom the files that stay count; null for the Super Token
 * and for rows from before.
 */
export const formerOwner: Migration = {
  name: '0003-former-owner',
  async up({ query }) {
    await query.schema.alterTable('static_file', (table) => {
      table.index(['owner'], 'idx-static-file-owner');
    });
    await query.schema.alterTable('static_file_former', (table) => {
      table.text('owner');
      table.index(['owner'], 'idx-static-file-former-owner');
    });
  },
};
