import type { Database } from '@svc/plugin-sdk';
import { readRows } from './sql.ts';

/** Keys of heartbeats in the table `monitor`, by their hashes. Methods throw RpcError 103 when the database fails. */
export class KeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the hashes of all keys: as many as there may be heartbeats. */
  async all(): Promise<string[]> {
    const sql = "select key_hash from monitor where kind = 'heartbeat' and key_hash is not null";
    const rows = await readRows<{ key_hash: string }>(this.#db, {
      ...{ columns: 'key_hash', sql, params: [], long: true },
    });
    return rows.map(({ key_hash }) => key_hash);
  }
}
