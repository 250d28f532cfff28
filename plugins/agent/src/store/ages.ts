import { type Database, guarded, type Integer } from '@svc/plugin-sdk';
import type { Kind } from '../kinds.ts';

/** Times of an agent's rows. */
export interface Ages {
  readonly id: number;
  readonly oldest: Integer;
  readonly newest: Integer;
}

/** Oldest and newest time of each of these agents; those without rows are left out. Keep the list short. @throws RpcError 103 */
export type ReadAges = (ids: readonly number[]) => Promise<Ages[]>;

/** Two steps into the index (uuid_id, timestamp) for each agent. */
export function openAges(db: Database, { table }: Kind): ReadAges {
  const end = (of: 'min' | 'max') =>
    `(select ${of}(timestamp) from ${table} where uuid_id = i.id) as ${of === 'min' ? 'oldest' : 'newest'}`;
  const given = `select cast(value as integer) as id from ${db.forms.elementTexts} g`;
  const sql = `select i.id as id, ${end('min')}, ${end('max')} from (${given}) i`;
  return (ids) =>
    guarded('ages could not be read', async () => {
      const rows = await db.all<Ages>(sql, [JSON.stringify(ids)]);
      return rows.filter(({ oldest }) => oldest !== null);
    });
}
