import type { Database } from '@svc/plugin-sdk';
import { guarded, rowsOf } from '@svc/plugin-sdk/sql';
import { readRows } from './read.ts';

/** Id of the newest event of agents that was judged, whichever server did it (table `alert_state`). */
export class EventPlace {
  readonly #db: Database;
  #known: number | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws RpcError 103 */
  async read(): Promise<number> {
    if (this.#known !== undefined && !this.#db.severalServers) return this.#known;
    const sql = 'select events_after from alert_state where id = 1';
    const [row] = await readRows<{ events_after: number }>(this.#db, 'events_after', sql, []);
    this.#known = Number(row?.events_after ?? 0);
    return this.#known;
  }

  /** @throws RpcError 103 */
  async move(id: number): Promise<void> {
    const text =
      'update alert_state set events_after = ? where id = 1 and events_after < ? returning id';
    await guarded('alerts could not be changed', () =>
      rowsOf(this.#db.query, { text, params: [id, id] }),
    );
    this.#known = id;
  }

  /** Reads the table again: it is another one. */
  forget(): void {
    this.#known = undefined;
  }
}
