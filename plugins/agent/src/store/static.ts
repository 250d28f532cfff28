import { type Database, guarded } from '@svc/plugin-sdk';
import { HEAD, type Row, STATIC } from '../kinds.ts';

/** Writes of `static_monitoring`, which holds one row for each agent and hash. */
export interface StaticStore {
  /** Moves the stored row of this hash to a later time. @returns false when there is none. @throws RpcError 103 */
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
        const later = db.query.raw('case when ?? < ? then ? else ?? end', [
          'timestamp',
          timestamp as number,
          timestamp as number,
          'timestamp',
        ]);
        // Unique index (uuid_id, data_hash).
        const changed = await table
          .where({ uuid_id: agent, data_hash: hash })
          .update({ timestamp: later, storage_time });
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
