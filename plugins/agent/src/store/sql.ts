import { type Sql, type SqlValue, type TimeRange, whereAll } from '@svc/plugin-sdk';
import type { Filter } from '../conditions.ts';
import { type Field, HEAD, type Kind } from '../kinds.ts';

/** Greatest number that a 64-bit `limit` can be. */
const INT64_MAX = 2n ** 63n - 1n;

/** A larger `limit` would change nothing. */
export const bounded = (limit: number | bigint): number | bigint =>
  typeof limit === 'bigint' && limit > INT64_MAX ? INT64_MAX : limit;

/**
 * `where …` of a filter; `agent` is the id of its one agent.
 * `by` is the time column whose order is wanted: an index on the other one must not tempt the planner to sort.
 */
export function whereOf(filter: Filter, agent: number | undefined, by?: string): Sql {
  const agents: Part[] = agent === undefined ? [] : [['m.uuid_id = ?', agent]];
  const storage = by === 'timestamp' ? '+m.storage_time' : 'm.storage_time';
  const times = [...bounds('m.timestamp', filter.timestamp), ...bounds(storage, filter.storage)];
  return whereAll([...agents, ...times]);
}

type Part = [text: string, value: SqlValue];

function bounds(column: string, { from, to }: TimeRange): Part[] {
  const parts: Part[] = [];
  if (from !== undefined) parts.push([`${column} >= ?`, from]);
  if (to !== undefined) parts.push([`${column} <= ?`, to]);
  return parts;
}

/**
 * Text expression of one row as JSON; reads the same on both databases.
 * `uuid` is an SQL text expression; where its value is null, the member is left out.
 */
export function rowJsonSql(uuid: string, fields: readonly Field[]): string {
  const members = fields.map((field) => `, ',"${field.name}":', ${valueSql(field)}`).join('');
  return `concat('{', '"uuid":"' || ${uuid} || '",', '"timestamp":', m.timestamp${members}, '}')`;
}

function valueSql({ column, json, scaled }: Field): string {
  if (json) return `m.${column}`;
  const value = scaled ? `cast(m.${column} as double precision) / 10` : `m.${column}`;
  return `coalesce(cast(${value} as text), 'null')`;
}

/** Columns of a kind as a `Row` holds them. */
export function rowColumns(kind: Kind): string {
  const fields = kind.fields.map(({ column, json }) =>
    json ? `cast(${column} as text) as ${column}` : column,
  );
  return [...HEAD, ...fields].join(', ');
}
