import { addHeldBytes } from '@svc/plugin-sdk';
import type { Migration } from '@svc/plugin-sdk/sql';

/** Column `held_bytes`: bytes that a token counts for its creator. The index serves lists of children and sums. */
export const heldBytes: Migration = {
  name: '0007-held-bytes',
  async up(db) {
    await addHeldBytes(db, {
      table: 'token',
      texts: ['token_limit'],
      index: 'token_held',
      columns: ['parent', 'token_key', 'id'],
    });
    await db.query.raw('drop index token_parent');
  },
};
