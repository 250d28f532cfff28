import { addHeldBytes, type Migration } from '@svc/plugin-sdk';

const bytesOf = (column: string) => `coalesce(octet_length(cast(${column} as text)), 0)`;

/** Column `held_bytes`: what a worker counts for its owner, summed from the index at each change. */
export const heldBytes: Migration = {
  name: '0005-held-bytes',
  async up(db) {
    await addHeldBytes(db, {
      table: 'js_worker',
      bytes: ['js_script', 'env', 'description'].map(bytesOf).join(' + '),
      index: 'idx-js_worker-held',
      columns: ['owner'],
    });
    await db.query.raw('drop index "idx-js_worker-owner"');
  },
};
