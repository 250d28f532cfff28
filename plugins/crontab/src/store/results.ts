import type { ArrivalTable } from '@svc/plugin-retention/api';
import type { Database } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import {
  equalTo,
  guarded,
  type Integer,
  rowsOf,
  type Sql,
  type SqlForms,
  whereAll,
  withinTimes,
} from '@svc/plugin-sdk/sql';
import { type Filter, matchesNothing } from '../conditions.ts';
import { inOrder } from './in-order.ts';

/** Records in the order of their runs. Index (run_time). */
export const ARRIVED: ArrivalTable = {
  table: 'crontab_result',
  kind: 'crontab_result',
  arrival: 'run_time',
};

/** Greatest `limit` (crontab.md §6.1), and rows without one. */
export const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 1_000;
/** Rows of one statement that writes: other statements wait no longer than these take. */
const BATCH_ROWS = 500;
/** Records that go together where a job has too many. */
const TRIM_ROWS = 100;
/** A read of so many rows along an index takes well under a millisecond. */
const FEW_ROWS = 10;

/** The outcome of one dispatch (crontab.md §1.2). */
export interface RunRecord {
  readonly cron_id: Integer;
  readonly cron_name: string;
  /** Unix ms: tells the runs of the job apart. */
  readonly claimed_at: Integer;
  /** Task or script result; null when the dispatch failed. */
  readonly relative_id: Integer | null;
  /** Unix ms. */
  readonly run_time: number;
  readonly message: string;
}

const COLUMNS = [
  'cron_id',
  'cron_name',
  'claimed_at',
  'relative_id',
  'run_time',
  'success',
  'message',
] as const;
const NEWEST = 'order by r.run_time desc nulls last, r.id desc';

/** Rows of `crontab_result`. Failures of the database are 103 with a neutral text. */
export class ResultStore {
  readonly #db: Database;
  readonly #rowJson: string;
  readonly #append: ReturnType<typeof inOrder>;

  constructor(db: Database) {
    this.#db = db;
    this.#rowJson = rowJsonSql(db.forms);
    const rows = { table: 'crontab_result', columns: COLUMNS, capacityRows: 10_000 };
    this.#append = inOrder(() => db.appender({ ...rows, maxBatchRows: BATCH_ROWS }), BATCH_ROWS);
  }

  /** Records are stored in the order of these calls, many in one commit. */
  add(record: RunRecord): Promise<void> {
    const success = this.#db.forms.boolean(record.relative_id !== null);
    const row = { ...record, success };
    return this.#append(COLUMNS.map((column) => row[column]));
  }

  /** Newest first, as one JSON array. @throws RpcError -32008 past `maxBytes`, 103 */
  async query(
    filter: Filter,
    options: { maxBytes: number; signal: AbortSignal; share: string },
  ): Promise<RawJson> {
    if (matchesNothing(filter)) return new RawJson('[]');
    const { last, limit } = filter;
    const count = last === 'decides' ? 1 : limit === undefined ? DEFAULT_ROWS : capped(limit);
    const where = whereOf(filter);
    const sql = `select ${this.#rowJson} as json from crontab_result r
      ${where.text} ${NEWEST} limit ?`;
    const params = [...where.params, count];
    const short = filter.ids.size > 0 || (count <= FEW_ROWS && filter.states.size === 0);
    return guarded('query failed', () => this.#db.jsonArray(sql, params, { ...options, short }));
  }

  /** Deletes what matches, or the `limit` newest, in small statements; `proceed` throws to stop. @returns how many */
  async remove(filter: Filter, proceed: () => void): Promise<number> {
    if (matchesNothing(filter)) return 0;
    const { last, limit } = filter;
    const where = whereOf(filter);
    let left = last ? 1 : limit === undefined ? Number.POSITIVE_INFINITY : capped(limit);
    let deleted = 0;
    while (left > 0) {
      const count = Math.min(left, BATCH_ROWS);
      const gone = await guarded('delete failed', () => this.#removeSome(where, count));
      deleted += gone.length;
      if (gone.length < count) break;
      left -= count;
      if (left > 0) proceed();
    }
    return deleted;
  }

  /** Deletes the oldest records of every job whose records take more bytes than these (0: no limit), in small statements. */
  async trim(max_bytes: number, proceed: () => void): Promise<void> {
    if (max_bytes === 0) return;
    const over = 'select owner from crontab_result_usage where bytes > ?';
    const sql = `delete from crontab_result where id in (select id from crontab_result
      where cron_name = ? order by run_time asc nulls first, id limit ${TRIM_ROWS}) and exists
      (select 1 from crontab_result_usage where owner = ? and bytes > ?) returning id`;
    await guarded('old records could not be deleted', async () => {
      const owners = await this.#db.all<{ owner: string }>(over, [max_bytes]);
      for (const { owner } of owners) {
        const one = { text: sql, params: [owner, owner, max_bytes] };
        while ((await rowsOf(this.#db.query, one)).length > 0) proceed();
      }
    });
  }

  #removeSome({ text, params }: Sql, count: number): Promise<unknown[]> {
    return rowsOf(this.#db.query, {
      text: `delete from crontab_result where id in
        (select r.id from crontab_result r ${text} ${NEWEST} limit ?) returning id`,
      params: [...params, count],
    });
  }
}

const capped = (limit: Integer): number => (limit > MAX_ROWS ? MAX_ROWS : Number(limit));

const states = { success: 'r.success', failure: 'not r.success' } as const;

const whereOf = (filter: Filter): Sql =>
  whereAll([
    ...equalTo('r.id', filter.ids),
    ...equalTo('r.cron_id', filter.jobs),
    ...equalTo('r.cron_name', filter.names),
    ...Array.from(filter.states, (state) => [states[state]] as const),
    ...withinTimes('r.run_time', filter),
  ]);

/** Text expression of one row as JSON; reads the same on both databases. */
function rowJsonSql({ jsonText: text, jsonPlain: plain, jsonBoolean: boolean }: SqlForms): string {
  const members = [
    `'"id":', r.id`,
    `'"cron_id":', r.cron_id`,
    `'"cron_name":', ${text('r.cron_name')}`,
    `'"relative_id":', ${plain('r.relative_id')}`,
    `'"run_time":', ${plain('r.run_time')}`,
    `'"success":', ${boolean('r.success')}`,
    `'"message":', ${text('r.message')}`,
  ];
  return `concat('{', ${members.join(`, ',', `)}, '}')`;
}
