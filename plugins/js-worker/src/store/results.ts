import type { ArrivalTable } from '@svc/plugin-retention/api';
import { type Database, RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { guarded, type Integer, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Filter } from '../conditions.ts';
import { matchesNothing, NEWEST, type Readable, rowJson, whereOf } from './result-sql.ts';

/** Results of runs that have ended, in the order of their starts. Index (start_time). */
export const ARRIVED: ArrivalTable = {
  table: 'js_result',
  kind: 'js_result',
  arrival: 'start_time',
  over: 'finish_time is not null',
};

/** Greatest `limit` (js-worker.md §5.3), and rows without one. */
const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 1_000;
/** Rows of one deleting statement: other statements wait no longer than these take. */
const BATCH_ROWS = 500;
/** A read of so many rows along an index takes well under a millisecond. */
const FEW_ROWS = 10;
/** Results that are shorter need no look at what the others take. */
const FEW_BYTES = 4_096;
/** A server that is silent for so long has lost its runs, ms. */
const GONE_MS = 10_000;

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

/** A run whose row is stored. */
export interface Running {
  readonly id: Integer;
  /** Name of its worker. */
  readonly name: string;
}

class ResultsFull extends Error {}

/** End of a run: JSON text of its result, or the text of its failure. */
export type Ended = { readonly result: string } | { readonly error: string };

/** Every SQL statement on `js_result`. Failures of the database are 103 with a neutral text. */
export class ResultStore {
  readonly #db: Database;
  readonly #row: string;

  readonly #maxBytes: () => number;

  /** `maxBytes`: of the results of one worker; 0: no limit. */
  constructor(db: Database, maxBytes: () => number) {
    this.#db = db;
    this.#maxBytes = () => maxBytes() || Number.MAX_SAFE_INTEGER;
    this.#row = rowJson(db.forms);
  }

  /** @throws RpcError 103, also when the results of the worker are as large as they may be */
  async insert(run: Begun): Promise<Integer> {
    const { js_worker_id, js_worker_name, run_type, start_time, param } = run;
    await this.#requireRoom(js_worker_name, 0);
    const alive_at = this.#db.severalServers ? this.#db.forms.now : 'null';
    const [row] = await this.#write<{ id: Integer }>(
      'run could not be stored',
      `insert into js_result (js_worker_id, js_worker_name, run_type, start_time, param, alive_at)
        values (?, ?, ?, ?, ?, ${alive_at}) returning id`,
      [js_worker_id, js_worker_name, run_type, start_time, param],
    );
    return (row as { id: Integer }).id;
  }

  /** A result for which the worker's results leave no room ends as an error that says so. */
  async finish({ id, name }: Running, outcome: Ended, now: number): Promise<void> {
    const ended = await this.#fitting(name, outcome);
    const [result, error] = 'error' in ended ? [null, storable(ended.error)] : [ended.result, null];
    await this.#write(
      'result could not be stored',
      'update js_result set finish_time = ?, result = ?, error_message = ? where id = ? returning id',
      [now, result, error, id],
    );
  }

  /**
   * Ends the rows whose server is gone: where one server uses the database all that did not end, else those that
   * `keepAlive` has not named for `GONE_MS`. @returns how many
   */
  async closeInterrupted(error: string, now: number): Promise<number> {
    const { forms, severalServers } = this.#db;
    const silent = ` and coalesce(alive_at, 0) < ${forms.now} - ${GONE_MS}`;
    const closed = await this.#write(
      'interrupted runs could not be closed',
      `update js_result set finish_time = ?, error_message = ?
        where finish_time is null${severalServers ? silent : ''} returning id`,
      [now, error],
    );
    return closed.length;
  }

  /** Says that these runs go on; to be called every few seconds where several servers use the database. */
  async keepAlive(ids: readonly Integer[]): Promise<void> {
    const { forms, severalServers } = this.#db;
    if (!severalServers || ids.length === 0) return;
    await this.#write(
      'runs could not be marked',
      `update js_result set alive_at = ${forms.now} where finish_time is null
        and id in (select cast(value as bigint) from ${forms.elementTexts} i) returning id`,
      [`[${ids.join()}]`],
    );
  }

  /** Names with at least one row. */
  async names(): Promise<string[]> {
    // Steps from name to name over the index, so that the number of rows does not matter.
    const sql = `with recursive names (name) as (
      select min(js_worker_name) from js_result
      union all
      select (select min(js_worker_name) from js_result where js_worker_name > names.name)
        from names where name is not null)
      select name from names where name is not null`;
    const rows = await guarded('query failed', () => this.#db.all<{ name: string }>(sql));
    return rows.map(({ name }) => name);
  }

  /** Newest first, as one JSON array. @throws RpcError -32008 past `maxBytes`, 103 */
  async query(
    filter: Filter,
    readable: Readable,
    options: { maxBytes: number; signal: AbortSignal; share: string },
  ): Promise<RawJson> {
    const count = filter.limit === undefined ? DEFAULT_ROWS : capped(filter.limit);
    if (matchesNothing(filter) || count === 0) return new RawJson('[]');
    const where = whereOf(filter, readable, this.#db.forms);
    const sql = `select ${this.#row} as json from js_result r ${where.text} ${NEWEST} limit ?`;
    const short =
      filter.equals.some(([column]) => column === 'id') ||
      (count <= FEW_ROWS && filter.equals.length + filter.states.size === 0);
    return guarded('query failed', () =>
      this.#db.jsonArray(sql, [...where.params, count], { ...options, short }),
    );
  }

  /** Deletes what matches, or the `limit` newest, in small statements; `proceed` throws to give up. @returns how many */
  async remove(filter: Filter, readable: Readable, proceed: () => void): Promise<number> {
    if (matchesNothing(filter)) return 0;
    const where = whereOf(filter, readable, this.#db.forms);
    const sql = `delete from js_result where id in
      (select r.id from js_result r ${where.text} ${NEWEST} limit ?) returning id`;
    let left = filter.limit === undefined ? Number.POSITIVE_INFINITY : capped(filter.limit);
    let deleted = 0;
    while (left > 0) {
      const count = Math.min(left, BATCH_ROWS);
      const gone = await this.#write('delete failed', sql, [...where.params, count]);
      deleted += gone.length;
      if (gone.length < count) break;
      left -= count;
      if (left > 0) proceed();
    }
    return deleted;
  }

  async #fitting(name: string, ended: Ended): Promise<Ended> {
    if ('error' in ended || ended.result.length < FEW_BYTES) return ended;
    try {
      await this.#requireRoom(name, Buffer.byteLength(ended.result));
      return ended;
    } catch (error) {
      if (!(error instanceof RpcError) || !(error.cause instanceof ResultsFull)) throw error;
      return { error: error.message };
    }
  }

  /** Runs that end at the same moment may exceed the limit together. @throws RpcError 103 with the cause ResultsFull */
  async #requireRoom(name: string, bytes: number): Promise<void> {
    const most = this.#maxBytes();
    const sql = 'select bytes from js_result_usage where owner = ?';
    const used = await guarded('the size of the results could not be read', () =>
      this.#db.first<{ bytes: Integer }>(sql, [name]),
    );
    if (Number(used?.bytes ?? 0) + bytes < most) return;
    const text = `the results of js_worker '${name}' hold as many bytes as max_result_bytes under [js-worker] allows (${most}): delete some with js-result_delete, limit their age with database_limit_js_result, or have the key raised`;
    throw RpcError.database(text, { cause: new ResultsFull(text) });
  }

  #write<Row>(detail: string, text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded(detail, () => rowsOf<Row>(this.#db.query, { text, params }));
  }
}

const capped = (limit: Integer): number => (limit > MAX_ROWS ? MAX_ROWS : Number(limit));

/** Replaces U+0000 and halves of characters, which not every database accepts in a text; a message does not need them. */
const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');
