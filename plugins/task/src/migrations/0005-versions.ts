import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `task_version`: what each agent said last of its own version; its tasks are deleted after a while. */
export const versions: Migration = {
  name: '0005-versions',
  async up({ query, types }) {
    await query.schema.createTable('task_version', (table) => {
      table.specificType('uuid', types.uuid).primary();
      table.text('version').notNullable();
    });
  },
};
