import type { Migration } from '@svc/plugin-sdk/sql';
import { KINDS } from '../kinds.ts';

/** A row whose `timestamp` lies more than a minute after its arrival: the clock of its agent was ahead. */
export const IS_AHEAD = 'm.timestamp > m.storage_time + 60000';

export const aheadIndexOf = (table: string): string => `idx-${table}-ahead`;

/** Such rows, which are few, are found by their arrival (agent.md §3.2). Other rows take no room in this index. */
export const ahead: Migration = {
  name: '0004-ahead',
  async up({ query }) {
    for (const { table } of KINDS) {
      const condition = IS_AHEAD.replaceAll('m.', '');
      await query.raw(`create index ?? on ?? (uuid_id, storage_time) where ${condition}`, [
        aheadIndexOf(table),
        table,
      ]);
    }
  },
};
