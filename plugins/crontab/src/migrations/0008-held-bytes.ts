import { addHeldBytes } from '@svc/plugin-sdk';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `held_bytes`: what a job counts for its owner, summed from the index at each change. */
export const heldBytes: Migration = {
  name: '0008-held-bytes',
  async up(db) {
    await addHeldBytes(db, {
      table: 'crontab',
      texts: ['cron_type', 'cron_expression', 'name'],
      index: 'idx-crontab-held',
      columns: ['owner'],
    });
    await db.query.raw('drop index "idx-crontab-owner"');
  },
};
