import { addHeldBytes } from '@svc/plugin-sdk';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `held_bytes`: what a worker counts for its owner, summed from the index at each change. */
export const heldBytes: Migration = {
  name: '0005-held-bytes',
  async up(db) {
    await addHeldBytes(db, {
      table: 'js_worker',
      texts: ['js_script', 'env', 'description'],
      index: 'idx-js_worker-held',
      columns: ['owner'],
    });
    await db.query.raw('drop index "idx-js_worker-owner"');
  },
};
