import {
  type Database,
  guarded,
  type Integer,
  RawJson,
  rowsOf,
  type Sql,
  type SqlForms,
  type SqlValue,
  whereAll,
} from '@svc/plugin-sdk';
import type { Filter, State } from '../conditions.ts';

/** Greatest `limit` (js-worker.md §5.3), and rows without one. */
const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 1_000;
/** Rows of one deleting statement: nobody waits longer than these take. */
const BATCH_ROWS = 500;
/** Up to here a read along an index is over in well under a millisecond. */
const FEW_ROWS = 10;
/** A server that is silent for so long has lost its runs, ms. */
const GONE_MS = 10_000;

const NEWEST = 'order by r.start_time desc nulls last, r.id desc';

export type RunType = 'call' | 'cron' | 'route' | 'inline_call';

/** A run that begins to wait for its turn. */
export interface Begun {
  readonly js_worker_id: Integer;
  readonly js_worker_name: string;
  readonly run_type: RunType;
  /** Unix ms. */
  readonly start_time: number;
  /** JSON text. */
  readonly param: string;
}

/** How a run ended: JSON text of its result, or the text of its failure. */
export type Ended = { readonly result: string } | { readonly error: string };

/** Workers whose results a caller may see: all, or these. */
export type Readable = 'all' | readonly string[];

/** Every SQL statement on `js_result`. Failures of the database are 103 with a neutral text. */
export interface ResultStore {
  insert(run: Begun): Promise<Integer>;
  finish(id: Integer, ended: Ended, now: number): Promise<void>;
  /**
   * Ends the rows whose server is gone: where one server uses the database all that did not end, for use at the start; else those
   * that `keepAlive` has not named for `GONE_MS`. @returns how many
   */
  closeInterrupted(error: string, now: number): Promise<number>;
  /** Says that these runs go on; call it every few seconds. Nothing to do where one server uses the database. */
  keepAlive(ids: readonly Integer[]): Promise<void>;
  /** Names with at least one row. */
  names(): Promise<string[]>;
  /** Newest first, as one JSON array. @throws RpcError -32008 past `maxBytes`, 103 */
  query(
    filter: Filter,
    readable: Readable,
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<RawJson>;
  /** Deletes what matches, or the `limit` newest, in small statements; `proceed` throws to give up. @returns how many */
  remove(filter: Filter, readable: Readable, proceed: () => void): Promise<number>;
}

export const openResultStore = (db: Database): ResultStore => ({
  ...runs(db),
  ...liveness(db),
  ...lists(db),
});

const run = <Row>(db: Database, detail: string, text: string, params: readonly SqlValue[]) =>
  guarded(detail, () => rowsOf<Row>(db.query, { text, params }));

function runs(db: Database): Pick<ResultStore, 'insert' | 'finish'> {
  const { forms, severalServers } = db;
  return {
    async insert({ js_worker_id, js_worker_name, run_type, start_time, param }) {
      const [row] = await run<{ id: Integer }>(
        db,
        'run could not be stored',
        `insert into js_result (js_worker_id, js_worker_name, run_type, start_time, param, alive_at)
          values (?, ?, ?, ?, ?, ${severalServers ? forms.now : 'null'}) returning id`,
        [js_worker_id, js_worker_name, run_type, start_time, param],
      );
      return (row as { id: Integer }).id;
    },

    async finish(id, ended, now) {
      const [result, error] =
        'error' in ended ? [null, storable(ended.error)] : [ended.result, null];
      await run(
        db,
        'result could not be stored',
        'update js_result set finish_time = ?, result = ?, error_message = ? where id = ? returning id',
        [now, result, error, id],
      );
    },
  };
}

/** Runs whose server may be gone. */
function liveness(db: Database): Pick<ResultStore, 'closeInterrupted' | 'keepAlive'> {
  const { forms, severalServers } = db;
  const gone = severalServers ? ` and coalesce(alive_at, 0) < ${forms.now} - ${GONE_MS}` : '';
  return {
    async closeInterrupted(error, now) {
      const closed = await run(
        db,
        'interrupted runs could not be closed',
        `update js_result set finish_time = ?, error_message = ?
          where finish_time is null${gone} returning id`,
        [now, error],
      );
      return closed.length;
    },

    async keepAlive(ids) {
      if (!severalServers || ids.length === 0) return;
      await run(
        db,
        'runs could not be marked',
        `update js_result set alive_at = ${forms.now} where finish_time is null
          and id in (select cast(value as bigint) from ${forms.elementTexts} i) returning id`,
        [`[${ids.join()}]`],
      );
    },
  };
}

// Steps from name to name over the index, so that the number of rows does not matter.
const NAMES_SQL = `with recursive names (name) as (
  select min(js_worker_name) from js_result
  union all
  select (select min(js_worker_name) from js_result where js_worker_name > names.name)
    from names where name is not null)
  select name from names where name is not null`;

function lists(db: Database): Pick<ResultStore, 'names' | 'query' | 'remove'> {
  const { forms } = db;
  const rowJson = rowJsonSql(forms);
  return {
    async names() {
      const rows = await guarded('query failed', () => db.all<{ name: string }>(NAMES_SQL));
      return rows.map(({ name }) => name);
    },

    async query(filter, readable, options) {
      const count = filter.limit === undefined ? DEFAULT_ROWS : capped(filter.limit);
      if (matchesNothing(filter) || count === 0) return new RawJson('[]');
      const where = whereOf(filter, readable, forms);
      const sql = `select ${rowJson} as json from js_result r ${where.text} ${NEWEST} limit ?`;
      const short =
        filter.equals.some(([column]) => column === 'id') ||
        (count <= FEW_ROWS && filter.equals.length + filter.states.size === 0);
      return guarded('query failed', () =>
        db.jsonArray(sql, [...where.params, count], { ...options, short }),
      );
    },

    async remove(filter, readable, proceed) {
      if (matchesNothing(filter)) return 0;
      const where = whereOf(filter, readable, forms);
      let left = filter.limit === undefined ? Number.POSITIVE_INFINITY : capped(filter.limit);
      let deleted = 0;
      while (left > 0) {
        const count = Math.min(left, BATCH_ROWS);
        const gone = await removeSome(db, where, count);
        deleted += gone.length;
        if (gone.length < count) break;
        left -= count;
        if (left > 0) proceed();
      }
      return deleted;
    },
  };
}

const removeSome = (db: Database, { text, params }: Sql, count: number): Promise<unknown[]> =>
  run(
    db,
    'delete failed',
    `delete from js_result where id in
      (select r.id from js_result r ${text} ${NEWEST} limit ?) returning id`,
    [...params, count],
  );

const capped = (limit: Integer): number => (limit > MAX_ROWS ? MAX_ROWS : Number(limit));

/** No database takes U+0000 in every text, and nobody needs it in a message. */
const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** No stored text holds these, and the databases do not take them all as a value. */
const matchesNothing = ({ equals }: Filter): boolean =>
  equals.some(([, value]) => typeof value === 'string' && /[\0\p{Cs}]/u.test(value));

const states: { readonly [state in State]: string } = {
  is_success: '(r.result is not null and r.error_message is null)',
  is_failure: 'r.error_message is not null',
  is_running: '(r.result is null and r.error_message is null)',
};

function whereOf(
  { equals, bounds, states: wanted }: Filter,
  readable: Readable,
  forms: SqlForms,
): Sql {
  const parts: [text: string, ...values: SqlValue[]][] = [];
  for (const [column, value] of equals) parts.push([`r.${column} = ?`, value]);
  for (const [column, operator, value] of bounds) parts.push([`r.${column} ${operator} ?`, value]);
  for (const state of wanted) parts.push([states[state]]);
  if (readable !== 'all') {
    const list = `select value from ${forms.elementTexts} i`;
    parts.push([`r.js_worker_name in (${list})`, JSON.stringify(readable)]);
  }
  return whereAll(parts);
}

/** Text expression of one row as JSON; reads the same on both databases. */
function rowJsonSql({ jsonText: text, jsonPlain: plain }: SqlForms): string {
  const members = [
    `'"id":', r.id`,
    `'"js_worker_id":', r.js_worker_id`,
    `'"js_worker_name":', ${text('r.js_worker_name')}`,
    `'"run_type":', ${text('r.run_type')}`,
    `'"start_time":', ${plain('r.start_time')}`,
    `'"finish_time":', ${plain('r.finish_time')}`,
    `'"param":', ${plain('r.param')}`,
    `'"result":', ${plain('r.result')}`,
    `'"error_message":', ${text('r.error_message')}`,
  ];
  return `concat('{', ${members.join(`, ',', `)}, '}')`;
}
