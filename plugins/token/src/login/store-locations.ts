import type { Database } from '@svc/plugin-sdk';
import { marks } from '@svc/plugin-sdk/sql';

/** One row of the table `token_place`. */
export type LocationRow = {
  readonly token_id: number;
  /** Digest of mode and address. */
  readonly place: string;
  /** Unix ms of a login there, a day old at most. */
  readonly seen_at: number;
};

/** SQL of the table `token_place`. */
export class LocationStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Rows of these tokens, the oldest first; the index is the primary key. */
  ofTokens(ids: readonly number[]): Promise<LocationRow[]> {
    const text = `select token_id, place, seen_at from token_place
      where token_id in (${marks(ids.length)}) order by seen_at`;
    return this.#db.all<LocationRow>(text, ids);
  }

  async save(rows: readonly LocationRow[], dropped: readonly LocationRow[]): Promise<void> {
    // In one order everywhere, so that servers that save the same rows do not wait for each other.
    const sorted = rows.toSorted((a, b) => a.token_id - b.token_id || (a.place < b.place ? -1 : 1));
    await this.#db.transaction(async (trx) => {
      if (sorted.length > 0) {
        const insert = trx('token_place').insert(sorted);
        await insert.onConflict(['token_id', 'place']).merge(['seen_at']);
      }
      for (const { token_id, place, seen_at } of dropped) {
        await trx('token_place')
          .where({ token_id, place })
          .whereRaw('seen_at <= ?', [seen_at])
          .delete();
      }
    });
  }

  deleteBefore(before: number): Promise<unknown> {
    return this.#db.query('token_place').whereRaw('seen_at < ?', [before]).delete();
  }
}
