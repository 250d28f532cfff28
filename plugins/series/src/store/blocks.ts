import type { Database } from '@svc/plugin-sdk';
import { guarded, marks, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { MINUTE, QUARTER, type Step } from '../steps.ts';
import type { ReportKind } from './state.ts';

/** One row: the buckets of a series in a span of time. */
export interface Block {
  readonly series: string;
  /** Its begin, ms. */
  readonly span: number;
  readonly data: Uint8Array;
}

/** Rows of one statement. */
const BATCH_ROWS = 100;
const READ_ROWS = 32;

/** Keys of the series of each kind of reports, in the order of bytes: those of full reports begin with their part. */
const KEYS: { readonly [K in ReportKind]: readonly (readonly [from: string, before: string])[] } = {
  dynamic: [
    ['core.', 'core/'],
    ['disk.', 'disk/'],
    ['interface.', 'interface/'],
  ],
  summary: [
    ['', 'core.'],
    ['core/', 'disk.'],
    ['disk/', 'interface.'],
    ['interface/', '~'],
  ],
};

/** Table `series_rollup`. */
export class BlockStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** All series of an agent in these spans. Index (uuid_id, step, series, span). */
  ofAgent(id: number, { minutes }: Step, spans: readonly number[]): Promise<Block[]> {
    const sql = `select series, span, data from series_rollup
      where uuid_id = ? and step = ? and span in (${marks(spans.length)})`;
    return this.#read(sql, [id, minutes, ...spans]);
  }

  /**
   * The series from this key until before the other one, in the order of time: some rows at a time, each read on SQLite's main thread
   * and short. The same index.
   */
  async *between(
    id: number,
    { minutes }: Step,
    keys: readonly [from: string, before: string],
    spans: { readonly from: number; readonly to: number },
  ): AsyncGenerator<Block[]> {
    const sql = `select series, span, data from series_rollup where uuid_id = ? and step = ?
      and (series, span) > (?, ?) and series < ? and span >= ? and span < ? order by series, span limit ${READ_ROWS}`;
    let after: readonly SqlValue[] = [keys[0], -1];
    for (;;) {
      const params = [id, minutes, ...after, keys[1], spans.from, spans.to];
      const blocks = await this.#read(sql, params);
      const last = blocks.at(-1);
      if (last) yield blocks;
      if (!last || blocks.length < READ_ROWS) return;
      after = [last.series, last.span];
    }
  }

  async put(id: number, { minutes }: Step, blocks: readonly Block[]): Promise<void> {
    for (let at = 0; at < blocks.length; at += BATCH_ROWS) {
      const some = blocks.slice(at, at + BATCH_ROWS);
      const text = `insert into series_rollup (uuid_id, step, series, span, data)
        values ${some.map(() => '(?, ?, ?, ?, ?)').join(', ')}
        on conflict (uuid_id, step, series, span) do update set data = excluded.data returning step`;
      const params = some.flatMap(({ series, span, data }): SqlValue[] => [
        id,
        minutes,
        series,
        span,
        data,
      ]);
      await guarded('rollups could not be stored', () => rowsOf(this.#db.query, { text, params }));
    }
  }

  /** Deletes every rollup of an agent's reports of one kind, some rows at a time. */
  async erase(id: number, kind: ReportKind, proceed: () => void): Promise<void> {
    const text = `delete from series_rollup where (uuid_id, step, series, span) in
      (select uuid_id, step, series, span from series_rollup
        where uuid_id = ? and step = ? and series >= ? and series < ? limit ${BATCH_ROWS}) returning step`;
    for (const { minutes } of [MINUTE, QUARTER]) {
      for (const [from, before] of KEYS[kind]) {
        const params = [id, minutes, from, before];
        for (let gone = BATCH_ROWS; gone === BATCH_ROWS; ) {
          proceed();
          gone = (
            await guarded('rollups could not be deleted', () =>
              rowsOf(this.#db.query, { text, params }),
            )
          ).length;
        }
      }
    }
  }

  /** An agent has rollups: a short look at the same index. */
  async has(id: number): Promise<boolean> {
    const sql = 'select span from series_rollup where uuid_id = ? limit 1';
    const row = await guarded('rollups could not be read', () => this.#db.first(sql, [id]));
    return row !== undefined;
  }

  /** Deletes what ended before this time. @returns how many rows */
  async removeBefore(id: number, { minutes, span }: Step, time: number): Promise<number> {
    const text =
      'delete from series_rollup where uuid_id = ? and step = ? and span < ? returning step';
    const gone = await guarded('old rollups could not be deleted', () =>
      rowsOf(this.#db.query, { text, params: [id, minutes, time - span] }),
    );
    return gone.length;
  }

  #read(sql: string, params: readonly SqlValue[]): Promise<Block[]> {
    return guarded('rollups could not be read', () => this.#db.all<Block>(sql, params));
  }
}
