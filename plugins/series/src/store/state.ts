import type { Database } from '@svc/plugin-sdk';
import { guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

export type ReportKind = 'summary' | 'dynamic';

/** Table `series_state`, whose row `turn` is a `Turn`. */
export class StateStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reports that were stored before this time, ms, are rolled up; undefined: none are. */
  rolledTo(kind: ReportKind): Promise<number | undefined> {
    return this.#time(kind);
  }

  #time(name: string): Promise<number | undefined> {
    return guarded('the state of rollups could not be read', async () => {
      const sql = 'select value from series_state where name = ?';
      const row = await this.#db.first<{ value: string | null }>(sql, [name]);
      return row?.value ? Number(row.value) : undefined;
    });
  }

  /** Summaries that were stored before this time, ms, are counted as traffic; undefined: none are. */
  countedTo(): Promise<number | undefined> {
    return this.#time('traffic');
  }

  setRolledTo(kind: ReportKind, time: number): Promise<boolean> {
    const sql = 'update series_state set value = ? where name = ? returning name';
    return this.#update(sql, [String(time), kind]);
  }

  #update(text: string, params: readonly SqlValue[]): Promise<boolean> {
    return guarded('the state of rollups could not be changed', async () => {
      return (await rowsOf(this.#db.query, { text, params })).length > 0;
    });
  }
}
