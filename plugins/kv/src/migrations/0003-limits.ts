import type { Migration } from '@svc/plugin-sdk/sql';
import { LIMIT_KEYS } from '../limits.ts';

/** The keys that hold limits are read every few minutes: they are found without a look at each namespace. */
export const limits: Migration = {
  name: '0003-limits',
  async up({ query }) {
    await query.raw(`create index "idx-kv-limits" on kv (key) where ${LIMIT_KEYS}`);
  },
};
