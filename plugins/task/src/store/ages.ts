import type { Database } from '@svc/plugin-sdk';
import { guarded, type Integer } from '@svc/plugin-sdk/sql';

/** Times of the ended tasks of one agent; null: the agent has no ended task. */
export interface Ages {
  readonly oldest: Integer | null;
  readonly newest: Integer | null;
}

/** Oldest and newest ended task of an agent: two steps into the index (uuid, timestamp). @throws RpcError 103 */
export function openAges(db: Database): (uuid: string) => Promise<Ages> {
  const { uuid: bound } = db.forms;
  const end = (of: string) =>
    `(select ${of}(timestamp) from task where uuid = ? and timestamp is not null)`;
  const sql = `select ${end('min')} as oldest, ${end('max')} as newest`;
  return (uuid) =>
    guarded('ages could not be read', async () => {
      const row = await db.first<Ages>(sql, [bound(uuid), bound(uuid)]);
      return row ?? { oldest: null, newest: null };
    });
}
