import type { Migration } from '@svc/plugin-sdk/sql';

/** Table `task` (task.md §1.1), with the type's name and the time of creation in private columns. */
export const create: Migration = {
  name: '0001-create',
  async up({ query, types, ascending }) {
    await query.schema.createTable('task', (table) => {
      table.bigIncrements('id');
      table.specificType('uuid', types.uuid).notNullable();
      table.text('token').notNullable();
      table.text('cron_source');
      table.bigInteger('timestamp');
      table.boolean('success');
      table.text('error_message');
      table.specificType('task_event_type', types.document).notNullable();
      table.specificType('task_event_result', types.document);
      table.text('type_name').notNullable();
      table.bigInteger('created_at').notNullable();
      table.index(['cron_source'], 'idx-task-cron_source');
    });
    // Running tasks have no timestamp and sort lowest.
    const timestamp = ascending('timestamp');
    for (const [name, columns] of [
      ['idx-task-uuid-timestamp', `uuid, ${timestamp}, id`],
      ['idx-task-type_name-timestamp', `type_name, ${timestamp}, id`],
      ['idx-task-timestamp', `${timestamp}, id`],
    ]) {
      await query.raw(`create index "${name}" on task (${columns})`);
    }
    await query.raw('create index "idx-task-running" on task (created_at) where success is null');
  },
};
