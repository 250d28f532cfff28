import type { Migration, MigrationDatabase } from '@svc/plugin-sdk/sql';

/**
 * Tables `crontab` and `crontab_result` (crontab.md §1). Private columns of a job: `start_time`, from when on matches
 * count, and `version`, which every change but a run raises.
 */
export const create: Migration = {
  name: '0001-create',
  async up(db) {
    await createJobs(db);
    await createResults(db);
  },
};

async function createJobs({ query, types }: MigrationDatabase): Promise<void> {
  await query.schema.createTable('crontab', (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.boolean('enable').notNullable().defaultTo(true);
    table.text('cron_expression').notNullable();
    // No document, which cannot hold every text that the parameters of a script may hold.
    table.specificType('cron_type', types.json).notNullable();
    table.bigInteger('last_run_time');
    table.bigInteger('start_time').notNullable().defaultTo(0);
    table.integer('version').notNullable().defaultTo(0);
    table.unique(['name'], { indexName: 'idx-crontab-name' });
  });
}

async function createResults({ query, descending }: MigrationDatabase): Promise<void> {
  await query.schema.createTable('crontab_result', (table) => {
    table.bigIncrements('id');
    table.bigInteger('cron_id').notNullable();
    table.text('cron_name').notNullable();
    table.bigInteger('relative_id');
    table.bigInteger('run_time');
    table.boolean('success');
    table.text('message');
    table.index(['relative_id'], 'idx-crontab_result-relative_id');
  });
  // The order of answers.
  const newest = `${descending('run_time')}, id desc`;
  for (const [name, columns] of [
    ['idx-crontab_result-cron_id', `cron_id, ${newest}`],
    ['idx-crontab_result-cron_name', `cron_name, ${newest}`],
    ['idx-crontab_result-run_time', newest],
  ]) {
    await query.raw(`create index "${name}" on crontab_result (${columns})`);
  }
}
