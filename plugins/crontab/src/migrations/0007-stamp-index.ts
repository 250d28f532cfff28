import type { Migration } from '@svc/plugin-sdk/sql';

/** Index for finding changed jobs, and the runs of one server, without reading the types, which may be long. */
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
