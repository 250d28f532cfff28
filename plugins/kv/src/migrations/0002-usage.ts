import type { Migration } from '@svc/plugin-sdk/sql';
import { countBytes } from '../byte-counter.ts';

/** Table `kv_usage`: bytes of each namespace. */
export const usage: Migration = {
  name: '0002-usage',
  up: (db) =>
    countBytes(db, {
      table: 'kv',
      counter: 'kv_usage',
      owner: 'namespace',
      type: db.types.bytewise,
      columns: ['key', 'value'],
    }),
};
