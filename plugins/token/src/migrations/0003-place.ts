import type { Migration } from '@svc/plugin-sdk/sql';

/** Locations of logins, and an index of the children of a token. */
export const place: Migration = {
  name: '0003-place',
  async up({ query }) {
    await query.schema.createTable('token_place', (table) => {
      table.bigInteger('token_id').notNullable();
      table.text('place').notNullable();
      table.bigInteger('seen_at').notNullable();
      table.primary(['token_id', 'place']);
    });
    await query.schema.alterTable('token', (table) => {
      table.index(['parent'], 'token_parent');
    });
  },
};
