import type { Database } from '@svc/plugin-sdk';
import { guarded } from '@svc/plugin-sdk/sql';
import { HEAD, type Row, STATIC } from '../kinds.ts';
import { countedTime } from '../newest-rule.ts';
import { countedSql } from './newest.ts';

const LATER = `case when ${countedSql('m.timestamp').replaceAll('m.', '')} <= ? then ? else timestamp end`;
const FIRST = 'coalesce(first_timestamp, timestamp)';
const EARLIER = `case when ${FIRST} > ? then ? else ${FIRST} end`;

/** Writes of `static_monitoring`, which holds one row for each agent and hash. */
export interface StaticStore {
  /**
   * The content of the stored row of this hash was reported again: its time moves on, and the time of its first report stays.
   * @returns false when there is none. @throws RpcError 103
   */
  touch(
    agent: number,
    hash: Buffer,
    timestamp: Row[number],
    storage_time: number,
  ): Promise<boolean>;
  /** @returns false when a row with this hash is there already. @throws RpcError 103 */
  insert(row: Row, hash: Buffer): Promise<boolean>;
}

export function openStaticStore(db: Database): StaticStore {
  const columns = [...HEAD, ...STATIC.fields.map(({ column }) => column)];
  return {
    touch: (agent, hash, timestamp, storage_time) =>
      guarded('static report could not be stored', async () => {
        const table = db.query(STATIC.table);
        const time = timestamp as number;
        // Unique index (uuid_id, data_hash). What stands on the right is the row as it was.
        const changed = await table.where({ uuid_id: agent, data_hash: hash }).update({
          timestamp: db.query.raw(LATER, [countedTime(time, storage_time), time]),
          storage_time,
          first_timestamp: db.query.raw(EARLIER, [time, time]),
          first_storage_time: db.query.raw('coalesce(first_storage_time, storage_time)'),
        });
        return changed > 0;
      }),

    insert: (row, hash) =>
      guarded('static report could not be stored', async () => {
        const values = Object.fromEntries(columns.map((column, index) => [column, row[index]]));
        const added = await db
          .query(STATIC.table)
          .insert({ ...values, data_hash: hash })
          .onConflict(['uuid_id', 'data_hash'])
          .ignore()
          .returning('id');
        return added.length > 0;
      }),
  };
}
