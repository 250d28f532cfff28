import type { Migration } from '@svc/plugin-sdk';

/** The table of auth.md §3. */
export const create: Migration = {
  name: '0001-create',
  async up(trx, { dialect }) {
    await trx.schema.createTable('token', (table) => {
      table.bigIncrements('id');
      table.integer('version').notNullable().defaultTo(1);
      table.string('token_key', 16).notNullable().unique();
      table.string('token_hash').notNullable();
      table.bigInteger('time_stamp_from');
      table.bigInteger('time_stamp_to');
      if (dialect === 'postgres') table.jsonb('token_limit').notNullable();
      else table.text('token_limit').notNullable();
      table.text('username').unique();
      table.string('password_hash');
    });
    if (dialect !== 'postgres') return;
    // Id 1 is inserted explicitly; the first generated one is 2.
    await trx.raw("select setval(pg_get_serial_sequence('token', 'id'), 1)");
  },
};
