import type { Database } from '@svc/plugin-sdk';
import { asString } from '@svc/plugin-sdk/json';
import { guarded, type SqlValue } from '@svc/plugin-sdk/sql';

const MOST_BYTES = 64 * 2 ** 20;

/**
 * Reads rows without holding up reports: not in the thread that writes, and where they are many away from the event loop.
 * `columns` are those of `sql`, separated by commas, in any order. @throws RpcError 103
 */
export function readRows<Row>(
  db: Database,
  columns: string,
  sql: string,
  params: readonly SqlValue[],
): Promise<Row[]> {
  const members = columns.split(',').map((name) => `'${name.trim()}', t.${name.trim()}`);
  const row =
    db.dialect === 'sqlite' ? `json_object(${members.join(', ')})` : 'cast(row_to_json(t) as text)';
  return guarded('alerts could not be read', async () => {
    const { text } = await db.jsonArray(`select ${row} from (${sql}) t`, params, {
      maxBytes: MOST_BYTES,
      short: 'try',
    });
    return JSON.parse(asString(text)) as Row[];
  });
}
