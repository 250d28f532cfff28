import type { Migration } from '@svc/plugin-sdk/sql';

/** Private column `cron_run`: Unix ms of the claim of the job's run that the task belongs to. */
export const cronRun: Migration = {
  name: '0002-cron-run',
  async up({ query }) {
    await query.schema.alterTable('task', (table) => {
      table.bigInteger('cron_run');
    });
  },
};
