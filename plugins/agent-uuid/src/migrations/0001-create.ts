import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `monitoring_uuid` (monitoring-data.md §7.1). `deleted_at` serves the hold-off after a deletion. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types }) {
    await query.schema.createTable('monitoring_uuid', (table) => {
      table.increments('id');
      table.specificType('uuid', types.uuid).notNullable().unique();
      table.boolean('soft_delete').notNullable().defaultTo(false);
      table.bigInteger('deleted_at');
    });
  },
};
