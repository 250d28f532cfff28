import { type Database, guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk';

/** A turn that is not renewed for so long is over: its server is gone, ms. */
const TURN_MS = 600_000;

export type ReportKind = 'summary' | 'dynamic';

/** Table `series_state`. */
export class StateStore {
  readonly #db: Database;
  /** Tells the servers of one database apart. */
  readonly #holder: string;

  constructor(db: Database, holder: string) {
    this.#db = db;
    this.#holder = holder;
  }

  /** Takes the turn, or keeps it for another ten minutes. @returns false while it is another server's */
  takeTurn(): Promise<boolean> {
    const { forms, severalServers } = this.#db;
    const free = severalServers ? `and (value = ? or until < ${forms.now})` : '';
    const sql = `update series_state set value = ?, until = ${forms.now} + ${TURN_MS}
      where name = 'turn' ${free} returning name`;
    return this.#update(sql, severalServers ? [this.#holder, this.#holder] : [this.#holder]);
  }

  /** Lets another server have the next turn. */
  endTurn(): Promise<boolean> {
    const sql = `update series_state set until = 0 where name = 'turn' and value = ? returning name`;
    return this.#update(sql, [this.#holder]);
  }

  /** Reports that were stored before this time, ms, are rolled up; undefined: none are. */
  rolledTo(kind: ReportKind): Promise<number | undefined> {
    return guarded('the state of rollups could not be read', async () => {
      const sql = 'select value from series_state where name = ?';
      const row = await this.#db.first<{ value: string | null }>(sql, [kind]);
      return row?.value ? Number(row.value) : undefined;
    });
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
