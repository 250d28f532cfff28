import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { guarded, type Sql } from '@svc/plugin-sdk/sql';
import type { Filter } from '../conditions.ts';
import type { Selection } from '../fields.ts';
import { columnsOf, type Kind, type Row } from '../kinds.ts';
import { FUTURE_MS } from '../newest-rule.ts';
import { countedSql, EVERY_ROW, type NewestAsk, newestSql } from './newest.ts';
import { type Found, foundIn, rowColumns, rowJsonSql } from './sql.ts';

/** Rows of one answer at most (agent.md §3.1). */
export const MAX_ROWS = 10_000;
/** Rows up to which a read over the agent's index takes well under a millisecond. */
const FEW_ROWS = 10;
/** Age that the newest row of most agents does not reach: only the newest partitions are opened for them. */
const YOUNG_MS = 86_400_000;
/** The agent that a query names: its UUID as text, and the id of its rows. */
export interface NamedAgent {
  readonly id: number;
  readonly uuid: string;
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** The caller for whom it reads. */
  readonly share: string;
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
  now: () => number,
): ReadStore {
  const small = kind.fields.every(({ json }) => !json);
  const newestIn = (found: Found, asked: NewestAsk): Sql => {
    if (found.time === 'm.timestamp') {
      const { text, params } = newestSql(db, kind, asked);
      return { text: `(${text}) m`, params };
    }
    // Static rows, of which an agent has few, show another time than their own.
    const counted = countedSql(found.time);
    const order = `order by case when ${counted} > ? then 1 else 0 end, ${counted} desc, m.id desc`;
    return { text: `${found.text} ${order}`, params: [...found.params, asked.now + FUTURE_MS] };
  };
  return {
    async query(filter, agent, { fields }, options) {
      const { limit } = filter;
      const count = limit === undefined || limit > MAX_ROWS ? MAX_ROWS : Number(limit);
      const found = foundIn(kind, filter, agent?.id);
      const uuid = agent ? 'cast(? as text)' : uuidSql('m.uuid_id');
      const row = rowJsonSql(uuid, found.time, fields);
      const ordered =
        count === 1 ? newestIn(found, { filter, whose: agent?.id, now: now() }) : inOrder(found);
      const rows = `select ${row} as json from ${ordered.text} limit ?`;
      const params = [...(agent ? [agent.uuid] : []), ...ordered.params, count];
      const short = agent !== undefined && count <= FEW_ROWS && isOpen(filter.storage);
      // Rows of numbers are short, so that all of them together are no burden: joined there, they cost half as much here.
      const sql = small && !short ? arraySql(db, rows) : rows;
      return guarded('query failed', () => db.jsonArray(sql, params, { ...options, short }));

      /** Index (uuid_id, timestamp) with an agent, (timestamp) without; ids break ties. */
      function inOrder({ text, time, params }: Found): Sql {
        const order = limit === undefined ? 'asc' : 'desc';
        return { text: `${text} order by ${time} ${order}, m.id ${order}`, params };
      }
    },

    newest: openNewest(db, kind, now),
  };
}

function openNewest(db: Database, kind: Kind, now: () => number): ReadStore['newest'] {
  const columns = columnsOf(kind);
  const since = (ids: readonly number[], from?: number) =>
    guarded('newest rows could not be read', () => {
      const { text, params } = newestOf(db, kind, { from, now: now() });
      return db.all<Record<string, Row[number]>>(text, [JSON.stringify(ids), ...params]);
    });
  const isWithin = (counted: number, young: number) =>
    counted >= young && counted <= now() + FUTURE_MS;
  return async (ids) => {
    const young = now() - YOUNG_MS;
    // A row that counts as of an earlier time may have one before it that is newer.
    const rows = db.timePartitions
      ? (await since(ids, young)).filter(({ counted }) => isWithin(counted as number, young))
      : [];
    const found = new Set(rows.map((row) => row['uuid_id']));
    const others = ids.filter((id) => !found.has(id));
    if (others.length > 0) rows.push(...(await since(others)));
    return new Map(
      rows.map((row) => [
        row['uuid_id'] as number,
        columns.map((column) => row[column] as Row[number]),
      ]),
    );
  };
}

const isOpen = ({ from, to }: Filter['storage']): boolean => from === undefined && to === undefined;

/** One row with the whole array: rows in their order, which the limit inside makes both databases keep. */
function arraySql({ dialect }: Database, rows: string): string {
  if (dialect === 'postgres') {
    return `select string_agg(json, ',') as json from (${rows}) r having count(*) > 0`;
  }
  // Empty texts around it, whose commas become brackets: written by SQL, those would copy the whole array once more.
  const all = `select '' as json union all select json from (${rows}) union all select ''`;
  return `select cast(group_concat(json, ',') as blob) as json from (${all})`;
}

/** The newest row of each agent of a JSON list of ids, no further back than a time. */
function newestOf(
  db: Database,
  kind: Kind,
  { from, now }: { readonly from: number | undefined; readonly now: number },
): Sql {
  const filter = { ...EVERY_ROW, timestamp: { from, to: undefined } };
  const columns = rowColumns(kind);
  const isSqlite = db.dialect === 'sqlite';
  const whose = { sql: isSqlite ? 'i.value' : 'cast(i.value as integer)' };
  const { text, params } = newestSql(db, kind, { filter, whose, now });
  return {
    text: isSqlite
      ? `select ${columns} from json_each(?) as i cross join ${kind.table} m on m.id =
          (select id from (${text}) n)`
      : `select ${columns}, counted from json_array_elements_text(cast(? as json)) as i(value)
          cross join lateral (${text}) m`,
    params,
  };
}
