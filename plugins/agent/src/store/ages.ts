import type { Database } from '@svc/plugin-sdk';
import { guarded, type Integer } from '@svc/plugin-sdk/sql';
import type { Kind } from '../kinds.ts';
import { EVERY_ROW, newestSql } from './newest.ts';

/** Times of an agent's rows. */
export interface Ages {
  readonly id: number;
  readonly oldest: Integer;
  readonly newest: Integer;
}

/**
 * Oldest time of each of these agents, and the time as of which the newest row counts; those without rows are left out. Keep the
 * list short. @throws RpcError 103
 */
export type ReadAges = (ids: readonly number[]) => Promise<Ages[]>;

/** Steps into the index (uuid_id, timestamp) for each agent. */
export function openAges(db: Database, kind: Kind, now: () => number): ReadAges {
  const oldest = `(select min(timestamp) from ${kind.table} where uuid_id = i.id)`;
  const given = `select cast(value as integer) as id from ${db.forms.elementTexts} g`;
  return (ids) =>
    guarded('ages could not be read', async () => {
      const whose = { sql: 'i.id' };
      const newest = newestSql(db, kind, { filter: EVERY_ROW, whose, now: now() });
      const sql = `select i.id as id, ${oldest} as oldest, (select counted from (${newest.text}) n) as newest
        from (${given}) i`;
      const rows = await db.all<Ages>(sql, [...newest.params, JSON.stringify(ids)]);
      return rows.filter(({ oldest }) => oldest !== null);
    });
}
