import type { Migration } from '@svc/plugin-sdk/sql';

/** Secrets for one purpose each, such as opening a terminal. */
export const pass: Migration = {
  name: '0005-pass',
  async up({ query }) {
    await query.schema.createTable('token_pass', (table) => {
      table.string('pass_key', 16).primary();
      table.string('pass_hash').notNullable();
      // What it is good for.
      table.text('purpose').notNullable();
      // The key of the token for which it stands, and of the session where it was made with one.
      table.text('parent').notNullable();
      table.text('session_key');
      // A digest of what that token logs in with: another one ends the pass.
      table.text('stamp').notNullable();
      table.bigInteger('made_at').notNullable();
      table.bigInteger('ends_at').notNullable();
      table.index(['parent'], 'token_pass_parent');
      table.index(['ends_at'], 'token_pass_ends_at');
    });
  },
};
