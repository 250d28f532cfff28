import type { Database } from '@svc/plugin-sdk';
import { marks } from '@svc/plugin-sdk/sql';
import { slices } from '../store/slices.ts';

/** Rows of one statement. */
const BATCH_ROWS = 200;

/** Table `alert_clock`: usual differences between arrival and the clock of each agent, ms, by `Agent.id`. */
export class ClockStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reads the differences of at most 200 agents. @throws RpcError 103 */
  async read(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const some = ids.slice(0, BATCH_ROWS);
    const found = await this.#db.all<{ uuid_id: number; offset_ms: number }>(
      `select uuid_id, offset_ms from alert_clock where uuid_id in (${marks(some.length)})`,
      some,
    );
    return new Map(found.map(({ uuid_id, offset_ms }) => [uuid_id, Number(offset_ms)]));
  }

  /** @throws RpcError 103 */
  async write(
    offsets: readonly { readonly uuid_id: number; readonly offset_ms: number }[],
  ): Promise<void> {
    for (const some of slices(offsets, BATCH_ROWS)) {
      await this.#db.query('alert_clock').insert(some).onConflict('uuid_id').merge(['offset_ms']);
    }
  }
}
