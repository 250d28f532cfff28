import type { Migration } from '@svc/plugin-sdk/sql';

/** What tells a changed job, and the runs of one server, are read without the types, which may be long. */
export const stampIndex: Migration = {
  name: '0007-stamp-index',
  async up({ query }) {
    await query.schema.alterTable('crontab', (table) => {
      table.index(['id', 'version', 'last_run_time', 'claimed_by'], 'idx-crontab-stamp');
      table.index(['last_run_time'], 'idx-crontab-last_run_time');
      table.index(['claimed_by'], 'idx-crontab-claimed_by');
    });
  },
};
