import type { Migration } from '@svc/plugin-sdk/sql';

/**
 * Columns of a worker: `owner`, the key of the token that wrote it last, null for the Super Token and for rows from before;
 * private, `owner_rights`: JSON of what that token could do then (`src/owners.ts`).
 */
export const owner: Migration = {
  name: '0002-owner',
  async up({ query }) {
    await query.schema.alterTable('js_worker', (table) => {
      table.text('owner');
      table.text('owner_rights');
    });
  },
};
