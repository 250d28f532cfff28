import type { Database } from '@svc/plugin-sdk';
import { orDatabaseError } from '../records/store.ts';
import { evictSurplus } from './evict.ts';

/** One row of the table `token_pass`; times in Unix ms. */
export interface PassRow {
  readonly pass_key: string;
  readonly pass_hash: string;
  readonly purpose: string;
  /** Key of its token. */
  readonly parent: string;
  /** Session that it was made with; null: the token or password itself. */
  readonly session_key: string | null;
  /** `stampOf` that token. */
  readonly stamp: string;
  readonly made_at: number;
  readonly ends_at: number;
}

const COLUMNS = 'pass_key, pass_hash, purpose, parent, session_key, stamp, made_at, ends_at';
const SWEEP_BATCH = 500;

/** SQL of the table `token_pass`. */
export class PassStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Inserts a pass; expired ones, and the oldest of more than `most` of its token, are deleted. @throws RpcError 103 */
  insert(row: PassRow, most: number): Promise<void> {
    const work = this.#db.transaction(
      async (trx) => {
        await evictSurplus(trx, { table: 'token_pass', key: 'pass_key' }, row, most);
        await trx('token_pass').insert({ ...row });
      },
      // Concurrent inserts would exceed the bound.
      { alone: 'token_pass' },
    );
    return orDatabaseError('', work);
  }

  /** Finds by the primary key. @throws RpcError 103 */
  find(pass_key: string): Promise<PassRow | undefined> {
    const text = `select ${COLUMNS} from token_pass where pass_key = ?`;
    return orDatabaseError('', this.#db.first<PassRow>(text, [pass_key]));
  }

  /** Deletes passes that ended before `time`. */
  async sweep(time: number): Promise<void> {
    const over = 'select pass_key from token_pass where ends_at < ? order by ends_at limit ?';
    for (;;) {
      const found = await this.#db.all<Pick<PassRow, 'pass_key'>>(over, [time, SWEEP_BATCH]);
      if (found.length === 0) return;
      // In one order everywhere, so that servers that sweep at one moment do not wait for each other.
      const keys = found.map(({ pass_key }) => pass_key).sort();
      const marks = keys.map(() => '?').join();
      await this.#db.query('token_pass').whereRaw(`pass_key in (${marks})`, keys).delete();
    }
  }
}
