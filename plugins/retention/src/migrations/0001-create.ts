import type { Migration } from '@svc/plugin-sdk/sql';

/** The tables of history at the time of this step. */
const TABLES = ['static_monitoring', 'dynamic_monitoring', 'task', 'crontab_result', 'js_result'];

/**
 * Table `retention`: whether history began under the default limits, and whose turn it is to delete. This step runs
 * before those of the plugins that own history, so in a new database none of their tables is there yet.
 */
export const create: Migration = {
  name: '0001-create',
  async up({ query }) {
    let origin = 'new';
    for (const table of TABLES) if (await query.schema.hasTable(table)) origin = 'older';
    await query.schema.createTable('retention', (table) => {
      table.string('name', 32).notNullable();
      table.text('value');
      table.bigInteger('until').notNullable().defaultTo(0);
      table.primary(['name']);
    });
    await query('retention').insert([{ name: 'origin', value: origin }, { name: 'turn' }]);
  },
};
