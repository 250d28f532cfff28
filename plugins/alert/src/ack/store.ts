import type { Database } from '@svc/plugin-sdk';
import { guarded, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { slices } from '../store/slices.ts';

/** Links that are kept at a time; beyond, the oldest go. */
const MOST_LINKS = 20_000;
const SLICE = 500;

export interface AckLink {
  readonly hash: string;
  readonly alert_id: number;
  readonly episode: number;
  /** Tells whether it acknowledged; in the table `episode` is negative then. */
  readonly isUsed: boolean;
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
    for (const some of slices(links, SLICE)) {
      const rows = some.map(({ isUsed, episode, ...link }) => {
        return { ...link, episode: isUsed ? -episode : episode };
      });
      await trx('alert_ack_link').insert(rows);
    }
  }

  async find(hash: string): Promise<AckLink | undefined> {
    const text = 'select hash, alert_id, episode, ends_at from alert_ack_link where hash = ?';
    const [row] = await this.#rows<Omit<AckLink, 'isUsed'>>(text, [hash]);
    if (!row) return undefined;
    const { alert_id, episode, ends_at } = row;
    const numbers = { alert_id: Number(alert_id), ends_at: Number(ends_at) };
    return { hash, ...numbers, episode: Math.abs(episode), isUsed: episode < 0 };
  }

  /** Marks a link as used: it shows until it ends. @returns false: somebody was first */
  async take(hash: string): Promise<boolean> {
    const text =
      'update alert_ack_link set episode = -episode where hash = ? and episode > 0 returning hash';
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
