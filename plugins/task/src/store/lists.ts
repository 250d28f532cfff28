import type { ArrivalTable } from '@svc/plugin-retention/api';
import type { Database } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { guarded, type Integer, rowsOf, type Sql, type SqlForms } from '@svc/plugin-sdk/sql';
import { type Filter, matchesNothing } from '../conditions.ts';
import { order, whereOf } from './sql.ts';
import type { TaskKey } from './tasks.ts';

/** Ended tasks in the order of their creation: a task that runs stays. Index (created_at). */
export const ARRIVED: ArrivalTable = {
  table: 'task',
  kind: 'task',
  arrival: 'created_at',
  over: 'success is not null',
  agent: 'uuid',
};

/** Rows of one answer at most, and without `limit` or `last`. */
export const MAX_ROWS = 100_000;
export const DEFAULT_ROWS = 1000;
/** Rows of one deleting statement: other statements wait no longer than these take. */
const BATCH_ROWS = 500;
/** A read of so many rows along an index takes well under a millisecond. */
const FEW_ROWS = 10;

export interface ReadOptions {
  /** Type whose rows are left out. */
  readonly without: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** The caller for whom it reads. */
  readonly share: string;
}

export interface DeleteOptions {
  /** Type whose rows are left out. */
  readonly without: string | undefined;
  /** Called with the deleted rows that were running, batch by batch; throws to stop the deletion. */
  readonly proceed: (running: readonly TaskKey[]) => void;
}

/** Lists of rows that match conditions. */
export class ListStore {
  readonly #db: Database;
  readonly #forms: SqlForms;
  readonly #rowJson: string;

  constructor(db: Database) {
    this.#db = db;
    this.#forms = db.forms;
    this.#rowJson = rowJsonSql(db.forms);
  }

  /** Rows as one JSON array (task.md §4.6). @throws RpcError -32008 past `maxBytes`, 103 */
  async query(filter: Filter, { without, ...options }: ReadOptions): Promise<RawJson> {
    if (matchesNothing(filter)) return new RawJson('[]');
    const { limit } = filter;
    const count = limit === undefined ? DEFAULT_ROWS : atMost(limit, MAX_ROWS);
    const where = whereOf(filter, this.#forms, without);
    const by = limit === undefined ? order.oldest : order.newest;
    const sql = `select ${this.#rowJson} as json from task t ${where.text} ${by} limit ?`;
    const params = [...where.params, count];
    const short = isShort(filter, count, without);
    return guarded('query failed', () => this.#db.jsonArray(sql, params, { ...options, short }));
  }

  /** Deletes what matches, or the `limit` newest, in small statements. @returns how many. @throws RpcError 103 */
  async remove(filter: Filter, { without, proceed }: DeleteOptions): Promise<number> {
    if (matchesNothing(filter)) return 0;
    const where = whereOf(filter, this.#forms, without);
    let left = filter.limit ?? Number.POSITIVE_INFINITY;
    let deleted = 0;
    while (left > 0) {
      const count = atMost(left, BATCH_ROWS);
      const gone = await guarded('delete failed', () => this.#removeSome(where, count));
      const running = gone.filter(({ success }) => success === null);
      deleted += gone.length;
      proceed(running.map(({ id, uuid }) => ({ id, uuid })));
      if (gone.length < count) break;
      left = typeof left === 'bigint' ? left - BigInt(count) : left - count;
    }
    return deleted;
  }

  #removeSome({ text, params }: Sql, n: number): Promise<(TaskKey & { success: unknown })[]> {
    const uuid = this.#forms.uuidText('uuid');
    return rowsOf(this.#db.query, {
      text: `delete from task where id in (select t.id from task t ${text} ${order.newest} limit ?)
        returning id, ${uuid} as uuid, success`,
      params: [...params, n],
    });
  }
}

const atMost = (limit: Integer, most: number): number => (limit > most ? most : Number(limit));

/** One row by its id, or a few of the newest of one agent where nothing else filters. */
function isShort(filter: Filter, count: number, without: string | undefined): boolean {
  if (filter.ids.size > 0) return true;
  const plain = filter.types.size + filter.cronSources.size + filter.states.size === 0;
  return plain && without === undefined && filter.uuids.size > 0 && count <= FEW_ROWS;
}

/** Text expression of one row as JSON; reads the same on both databases. */
function rowJsonSql(forms: SqlForms): string {
  const { uuidText, jsonText: text, jsonPlain: plain, jsonBoolean: boolean } = forms;
  const members = [
    `'"task_id":', t.id`,
    `'"uuid":"', ${uuidText('t.uuid')}, '"'`,
    `'"cron_source":', ${text('t.cron_source')}`,
    `'"timestamp":', ${plain('t.timestamp')}`,
    `'"success":', ${boolean('t.success')}`,
    `'"error_message":', ${text('t.error_message')}`,
    `'"task_event_type":', t.task_event_type`,
    `'"task_event_result":', ${plain('t.task_event_result')}`,
  ];
  return `concat('{', ${members.join(`, ',', `)}, '}')`;
}
