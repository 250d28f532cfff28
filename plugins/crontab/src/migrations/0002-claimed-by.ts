import type { Migration } from '@svc/plugin-sdk/sql';

/** Private column `claimed_by`: the server that runs, or ran, what `last_run_time` stands for; null after its orderly stop. */
export const claimedBy: Migration = {
  name: '0002-claimed-by',
  async up({ query }) {
    await query.schema.alterTable('crontab', (table) => {
      table.text('claimed_by');
    });
  },
};
