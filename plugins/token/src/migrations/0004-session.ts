import type { Migration } from '@svc/plugin-sdk/sql';

/** Short-lived credentials with the rights of a token. */
export const session: Migration = {
  name: '0004-session',
  async up({ query }) {
    await query.schema.createTable('token_session', (table) => {
      table.string('session_key', 16).primary();
      table.string('session_hash').notNullable();
      // The key of the token whose rights it has.
      table.text('parent').notNullable();
      // A digest of what that token logs in with: another one ends the session.
      table.text('stamp').notNullable();
      table.text('name').notNullable();
      table.bigInteger('made_at').notNullable();
      table.bigInteger('ends_at').notNullable();
      table.bigInteger('used_at').notNullable();
      table.text('used_from').notNullable();
      table.index(['parent'], 'token_session_parent');
      table.index(['ends_at'], 'token_session_ends_at');
    });
  },
};
