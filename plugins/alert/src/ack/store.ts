import type { Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Links that are kept at a time; beyond, the oldest go. */
const MOST_LINKS = 20_000;
const SLICE = 500;

export interface AckLink {
  readonly hash: string;
  readonly alert_id: number;
  readonly episode: number;
  /** Unix ms. */
  readonly ends_at: number;
}

/** Table `alert_ack_link`. Every method throws RpcError 103 when the database fails. */
export class AckStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds links in the transaction of the message that holds them. */
  static async add(trx: QueryBuilder, links: readonly AckLink[]): Promise<void> {
    for (let at = 0; at < links.length; at += SLICE) {
      const rows = links.slice(at, at + SLICE).map((link) => ({ ...link }));
      await trx('alert_ack_link').insert(rows);
    }
  }

  async find(hash: string): Promise<AckLink | undefined> {
    const text = 'select hash, alert_id, episode, ends_at from alert_ack_link where hash = ?';
    const [row] = await this.#rows<AckLink>(text, [hash]);
    return row && { ...row, alert_id: Number(row.alert_id), ends_at: Number(row.ends_at) };
  }

  /** Deletes a link that was used. @returns false: somebody was first */
  async take(hash: string): Promise<boolean> {
    const text = 'delete from alert_ack_link where hash = ? returning hash';
    return (await this.#rows(text, [hash])).length > 0;
  }

  /** Deletes links that have ended, and the oldest of too many. */
  async clean(now: number): Promise<void> {
    await this.#rows('delete from alert_ack_link where ends_at <= ? returning hash', [now]);
    await this.#rows(
      `delete from alert_ack_link where hash in
        (select hash from alert_ack_link order by ends_at desc limit 5000 offset ${MOST_LINKS})
        returning hash`,
      [],
    );
  }

  #rows<Row extends object>(text: string, params: readonly SqlValue[]): Promise<Row[]> {
    return guarded('links that acknowledge could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
  }
}
