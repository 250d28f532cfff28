import type { Database, RawJson } from '@svc/plugin-sdk';
import type { Filter } from '../conditions.ts';
import type { Selection } from '../fields.ts';
import { columnsOf, type Kind, type Row } from '../kinds.ts';
import { guarded, rowColumns, rowJsonSql, whereOf } from './sql.ts';

/** Rows of one answer at most (agent.md §3.1). */
export const MAX_ROWS = 10_000;
/** Up to here a read over the agent's index is over in well under a millisecond. */
const FEW_ROWS = 10;

/** The agent that a query names: its UUID as text, and the id of its rows. */
export interface NamedAgent {
  readonly id: number;
  readonly uuid: string;
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Reads of one table. */
export interface ReadStore {
  /**
   * Rows that match, in the order of agent.md §3.1, as one JSON array.
   * @throws RpcError -32008 past `maxBytes`, 103
   */
  query(
    filter: Filter,
    agent: NamedAgent | undefined,
    selection: Selection,
    options: ReadOptions,
  ): Promise<RawJson>;
  /** The newest row of each of these agents, by `uuid_id`; agents without rows are left out. Keep the list short. */
  newest(ids: readonly number[]): Promise<Map<number, Row>>;
}

export function openReadStore(
  db: Database,
  kind: Kind,
  uuidSql: (column: string) => string,
): ReadStore {
  const columns = columnsOf(kind);
  const newestSql = newestOf(db, kind);

  return {
    async query(filter, agent, { fields }, { maxBytes, signal }) {
      const { limit } = filter;
      const count = limit === undefined || limit > MAX_ROWS ? MAX_ROWS : Number(limit);
      const order = limit === undefined ? 'asc' : 'desc';
      const where = whereOf(filter, agent?.id);
      const row = rowJsonSql(agent ? 'cast(? as text)' : uuidSql('m.uuid_id'), fields);
      // Index (uuid_id, timestamp) with an agent, (timestamp) without; ids break ties.
      const sql = `select ${row} as json from ${kind.table} m ${where.text}
        order by m.timestamp ${order}, m.id ${order} limit ?`;
      const params = [...(agent ? [agent.uuid] : []), ...where.params, count];
      const short = agent !== undefined && count <= FEW_ROWS && isOpen(filter.storage);
      return guarded('query failed', () => db.jsonArray(sql, params, { maxBytes, signal, short }));
    },

    async newest(ids) {
      const rows = await guarded('newest rows could not be read', () =>
        db.all<Record<string, Row[number]>>(newestSql, [JSON.stringify(ids)]),
      );
      return new Map(
        rows.map((row) => [
          row['uuid_id'] as number,
          columns.map((column) => row[column] as Row[number]),
        ]),
      );
    },
  };
}

const isOpen = ({ from, to }: Filter['storage']): boolean => from === undefined && to === undefined;

/** One step into the index (uuid_id, timestamp) for each agent of a JSON list of ids. */
function newestOf(db: Database, kind: Kind): string {
  const columns = rowColumns(db, kind);
  const newest = 'order by timestamp desc, id desc limit 1';
  return db.dialect === 'sqlite'
    ? `select ${columns} from json_each(?) as i cross join ${kind.table} m on m.id =
        (select id from ${kind.table} where uuid_id = i.value ${newest})`
    : `select m.* from json_array_elements_text(cast(? as json)) as i(value) cross join lateral
        (select ${columns} from ${kind.table} where uuid_id = cast(i.value as integer) ${newest}) m`;
}
