import { RpcError } from './errors.ts';

/** Range of times that `rows` reads: both ends are included. */
export interface Range {
  /** ms since 1970; the first row by default. */
  readonly from?: number;
  /** ms since 1970; now by default, `Infinity`: the last row. */
  readonly to?: number;
  /** The time that counts, by default that of the method: `timestamp` (reports, tasks; oldest first), `start_time` (results of scripts) or `run_time` (results of jobs; newest first). */
  readonly column?: 'timestamp' | 'start_time' | 'run_time';
  readonly signal?: AbortSignal;
}

type Row = Readonly<Record<string, unknown>>;
type Window = readonly [from: number, to: number];

/** A query whose answer ends after so many rows and does not say that there are more. */
interface Query {
  readonly column: NonNullable<Range['column']>;
  readonly most?: number;
  /** Tells whether all rows must come in one answer: a row has two times, so two windows may both hold it. */
  readonly isWhole?: boolean;
}

const QUERIES: Readonly<Record<string, Query>> = {
  agent_query_static: { column: 'timestamp', most: 10_000, isWhole: true },
  agent_query_dynamic: { column: 'timestamp', most: 10_000 },
  agent_query_dynamic_summary: { column: 'timestamp', most: 10_000 },
  task_query: { column: 'timestamp', most: 1_000 },
  'js-result_query': { column: 'start_time', most: 1_000 },
  'crontab-result_query': { column: 'run_time', most: 1_000 },
};
const TOO_BIG = -32008;

const queryOf = (method: string): Query | undefined =>
  Object.hasOwn(QUERIES, method) ? QUERIES[method] : undefined;

/** Tells whether one answer may lack rows that match, so that `rows` is the way to all of them: a query with neither `limit` nor `last`. */
export function isPaged(method: string, params: Row): boolean {
  const [, list] = conditionsOf(params) ?? [];
  return queryOf(method) !== undefined && list !== undefined && !list.some(isCut);
}

/**
 * Every row between two times, page by page; only one page is held. A full answer is followed by one that begins at the
 * time of its last row, without the rows of that time that were there already. A window whose answer would be too big is halved.
 * @throws Error when a full answer holds rows of one time only, or is of static reports; RpcError; TypeError for parameters without conditions, or with `limit` or `last`
 */
export async function* rowsOf(
  method: string,
  params: Row,
  range: Range,
  ask: (params: Row) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void> {
  const query: Query = queryOf(method) ?? { column: 'timestamp' };
  const { from = -Infinity, to = Date.now(), column = query.column } = range;
  const isUp = column === 'timestamp';
  /** Windows to read; the next one is last. */
  const windows: Window[] = [[from, to]];
  /** Number of rows of the time `edge` that were read already. */
  let [edge, seen]: [unknown, number] = [undefined, 0];
  for (let window = windows.pop(); window; window = windows.pop()) {
    const [low, high] = window;
    if (low > high) continue;
    const asked = ask(withCondition(params, conditionOf(column, window)));
    const rows = await asked.catch((error: unknown) => {
      if (!(error instanceof RpcError) || error.code !== TOO_BIG || query.isWhole) throw error;
      const halves = halved(window);
      if (!halves) throw error;
      windows.push(...(isUp ? halves.reverse() : halves));
    });
    if (!rows) continue;
    let repeated = 0;
    while (repeated < seen && rows[repeated]?.[column] === edge) repeated++;
    yield* rows.slice(repeated);
    if (rows.length < (query.most ?? 1)) continue;
    const last = rows.at(-1)?.[column] as number;
    const isOneTime = rows[0]?.[column] === last;
    if (query.most && (isOneTime || query.isWhole))
      throw new Error(whyCut(method, query, `${column} ${last}`));
    edge = last;
    seen = isOneTime ? 0 : rows.filter((row) => row[column] === last).length;
    const step = isOneTime ? 1 : 0;
    windows.push(isUp ? [last + step, high] : [low, last - step]);
  }
}

const whyCut = (method: string, { most, isWhole }: Query, time: string): string =>
  isWhole
    ? `${method}: ${most} rows or more match, of which one answer holds ${most}, and static reports have no pages: ask for one agent, or for less time`
    : `${method}: ${most} rows or more have the ${time}, of which one answer holds ${most}: ask for fewer with one more condition`;

function conditionOf(column: string, [low, high]: Window): Row | undefined {
  const [isFrom, isTo] = [low > -Infinity, high < Infinity];
  if (isFrom && isTo) return { [`${column}_from_to`]: [low, high] };
  if (isFrom) return { [`${column}_from`]: low };
  return isTo ? { [`${column}_to`]: high } : undefined;
}

function halved([low, high]: Window): Window[] | undefined {
  const first = Math.max(low, Number.MIN_SAFE_INTEGER);
  const last = Math.min(high, Number.MAX_SAFE_INTEGER);
  if (first >= last) return undefined;
  const middle = Math.floor((first + last) / 2);
  return [
    [low, middle],
    [middle + 1, high],
  ];
}

const isCut = (condition: unknown): boolean =>
  condition === 'last' ||
  (typeof condition === 'object' &&
    condition !== null &&
    ('limit' in condition || 'last' in condition));

/** The list of conditions, in the parameters themselves or in a member of them, whose name stands before it. */
function conditionsOf(params: Row): [name: string, list: readonly unknown[]] | undefined {
  for (const [name, value] of Object.entries(params)) {
    const list = name === 'condition' ? value : (value as Row | null | undefined)?.['condition'];
    if (Array.isArray(list)) return [name, list];
  }
  return undefined;
}

/** The parameters with one more condition. */
function withCondition(params: Row, condition: Row | undefined): Row {
  const [name, list] = conditionsOf(params) ?? [];
  if (name === undefined || !list)
    throw new TypeError('rows: the parameters hold no list named condition');
  if (list.some(isCut)) throw new TypeError('rows: it takes no limit and no last, it reads all');
  const longer = condition ? [...list, condition] : list;
  const value = name === 'condition' ? longer : { ...(params[name] as Row), condition: longer };
  return { ...params, [name]: value };
}
