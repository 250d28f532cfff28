import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `owner`: the key of the token that wrote the job last; null for the Super Token and for rows from before. */
export const owner: Migration = {
  name: '0004-owner',
  async up({ query }) {
    await query.schema.alterTable('crontab', (table) => {
      table.text('owner');
    });
  },
};
