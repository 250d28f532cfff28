import type { Migration } from '@svc/plugin-sdk/sql';

/** Table of auth.md §3. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types, countFrom }) {
    await query.schema.createTable('token', (table) => {
      table.bigIncrements('id');
      table.integer('version').notNullable().defaultTo(1);
      table.string('token_key', 16).notNullable().unique();
      table.string('token_hash').notNullable();
      table.bigInteger('time_stamp_from');
      table.bigInteger('time_stamp_to');
      table.specificType('token_limit', types.document).notNullable();
      table.text('username').unique();
      table.string('password_hash');
    });
    // Id 1 is inserted explicitly.
    await countFrom('token', 'id', 2);
  },
};
