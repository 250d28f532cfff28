import type { Migration } from '@svc/plugin-sdk/sql';

/** Private column `claimed_at`: Unix ms of the claim of the run that the record belongs to. */
export const claimedAt: Migration = {
  name: '0003-claimed-at',
  async up({ query }) {
    await query.schema.alterTable('crontab_result', (table) => {
      table.bigInteger('claimed_at');
    });
  },
};
