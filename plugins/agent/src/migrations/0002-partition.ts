import type { Migration } from '@svc/plugin-sdk/sql';
import { DYNAMIC, STATIC, SUMMARY, timeTableOf } from '../kinds.ts';
import { DAY_MS, FAR_MS, floorTo } from '../partitions.ts';

/**
 * Partitions the dynamic tables by time where the database can do this, and has the agent lead every primary key. What is
 * stored stays where it is, as the partition of the past. Where the database cannot do this, they stay plain tables.
 */
export const partition: Migration = {
  name: '0002-partition',
  async up({ query, partitionByTime }) {
    if (!partitionByTime) return;
    await query.schema.alterTable(STATIC.table, (table) => {
      table.dropPrimary();
      table.primary(['uuid_id', 'id']);
    });
    for (const kind of [DYNAMIC, SUMMARY]) {
      const { table } = kind;
      await partitionByTime(timeTableOf(kind), {
        // Rows of today and tomorrow have their place here while the first days are made.
        end: floorTo(Date.now(), DAY_MS) + 2 * DAY_MS,
        far: FAR_MS,
        arrival: 'storage_time',
        // Names that the first step gave.
        indexes: { time: `idx-${table}-timestamp`, arrival: `idx-${table}-storage_time` },
      });
    }
  },
};
