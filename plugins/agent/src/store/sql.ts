import { type Sql, type SqlValue, type TimeRange, whereAll } from '@svc/plugin-sdk/sql';
import type { Filter } from '../conditions.ts';
import { type Field, HEAD, type Kind } from '../kinds.ts';

/** Greatest number that a 64-bit `limit` can be. */
const INT64_MAX = 2n ** 63n - 1n;

/** Bounds a `limit`: a larger one would change nothing. */
export const bounded = (limit: number | bigint): number | bigint =>
  typeof limit === 'bigint' && limit > INT64_MAX ? INT64_MAX : limit;

/**
 * `where …` of a filter; `agent` is the id of its one agent.
 * `by` is the time column whose order is wanted: an index on the other one must not tempt the planner to sort.
 * `except` are ids of agents whose rows are left out.
 */
export function whereOf(
  filter: Filter,
  agent: number | undefined,
  { by, except = [] }: { readonly by?: string; readonly except?: readonly number[] } = {},
): Sql {
  const agents: [string, ...SqlValue[]][] = ofAgent(agent);
  if (except.length > 0) agents.push([`m.uuid_id not in (${except.join()})`]);
  const storage = by === 'timestamp' ? '+m.storage_time' : 'm.storage_time';
  const times = [...bounds('m.timestamp', filter.timestamp), ...bounds(storage, filter.storage)];
  return whereAll([...agents, ...times]);
}

/** Rows of a kind with the time that an answer shows, `shown`. */
export interface Found extends Sql {
  readonly time: string;
}

const FIRST = 'coalesce(m.first_timestamp, m.timestamp)';
const FIRST_STORAGE = 'coalesce(m.first_storage_time, m.storage_time)';

/**
 * The rows of a filter as `m`, and the expression of the time that stands for each. A static row stands for every time between its
 * first and its last report; with a window on `timestamp` it shows the first one, unless only the last one lies in the window.
 */
export function foundIn({ table, name }: Kind, filter: Filter, agent: number | undefined): Found {
  const { timestamp, storage } = filter;
  const isOpen = [timestamp, storage].every(
    (range) => range.from === undefined && range.to === undefined,
  );
  if (name !== 'static' || isOpen) {
    const { text, params } = whereOf(filter, agent);
    return { text: `${table} m ${text}`, params, time: 'm.timestamp' };
  }
  const where = whereAll([
    ...ofAgent(agent),
    ...overlaps(FIRST, 'm.timestamp', timestamp),
    ...overlaps(FIRST_STORAGE, 'm.storage_time', storage),
  ]);
  const shown = shownTime(timestamp);
  const text = `(select m.*, ${shown.text} as shown from ${table} m ${where.text}) m`;
  return { text, params: [...shown.params, ...where.params], time: 'm.shown' };
}

function shownTime({ from, to }: TimeRange): Sql {
  if (from === undefined) return { text: to === undefined ? 'm.timestamp' : FIRST, params: [] };
  const isLast = whereAll([
    [`${FIRST} < ?`, from],
    ...bounds('m.timestamp', { from: undefined, to }),
  ]);
  const text = `case when ${isLast.text.replace(/^where /, '')} then m.timestamp else ${FIRST} end`;
  return { text, params: isLast.params };
}

/** Rows whose time from `first` to `last` meets the range. */
const overlaps = (first: string, last: string, { from, to }: TimeRange): Part[] => [
  ...bounds(last, { from, to: undefined }),
  ...bounds(first, { from: undefined, to }),
];

type Part = [text: string, value: SqlValue];

const ofAgent = (agent: number | undefined): Part[] =>
  agent === undefined ? [] : [['m.uuid_id = ?', agent]];

function bounds(column: string, { from, to }: TimeRange): Part[] {
  const parts: Part[] = [];
  if (from !== undefined) parts.push([`${column} >= ?`, from]);
  if (to !== undefined) parts.push([`${column} <= ?`, to]);
  return parts;
}

/**
 * Text expression of one row as JSON; reads the same on both databases.
 * `uuid` is an SQL text expression; where its value is null, the member is left out. `time` is one of the `timestamp`.
 */
export function rowJsonSql(uuid: string, time: string, fields: readonly Field[]): string {
  const members = fields.map((field) => `, ',"${field.name}":', ${valueSql(field)}`).join('');
  return `concat('{', '"uuid":"' || ${uuid} || '",', '"timestamp":', ${time}${members}, '}')`;
}

function valueSql({ column, json, scaled }: Field): string {
  if (json) return `m.${column}`;
  const text = scaled ? tenthSql(`m.${column}`) : `cast(m.${column} as text)`;
  return `coalesce(${text}, 'null')`;
}

/** Expression of a tenth: SQLite alone would write an integral result with a fraction, as `100.0`. */
const tenthSql = (column: string): string =>
  `case when ${column} % 10 = 0 then cast(${column} / 10 as text)
    else cast(cast(${column} as double precision) / 10 as text) end`;

/** Columns of a kind as a `Row` holds them. */
export function rowColumns(kind: Kind): string {
  const fields = kind.fields.map(({ column, json }) =>
    json ? `cast(${column} as text) as ${column}` : column,
  );
  return [...HEAD, ...fields].join(', ');
}
