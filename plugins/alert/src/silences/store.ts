import type { Counting, Database } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import { readByIds } from '../store/slices.ts';
import type { Matcher, Silence } from '../types.ts';

export const HELD_SILENCES = 'alert-silence';
/** Silences of one read: those of all tokens, and as many of the Super Token. */
const MOST_SILENCES = 2_000;
/** Time for which ended ones are shown, and how many are kept. */
const KEPT_MS = 90 * 86_400_000;
const KEPT = 5_000;

type Row = Omit<Silence, 'scope'> & { readonly scope: string };

const COLUMNS = 'id, scope, reason, created_by, created_at, starts_at, ends_at, ended_by, owner';

/** Table `alert_silence`. Every method throws RpcError 103 when the database fails. */
export class SilenceStore {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  /** Times of the silences that have not ended, the first to end first. */
  async times(now: number): Promise<Pick<Silence, 'id' | 'starts_at' | 'ends_at'>[]> {
    const text = `select id, starts_at, ends_at from alert_silence where ends_at > ?
      order by ends_at, id limit ${MOST_SILENCES}`;
    const rows = await guarded(FAILED, () =>
      rowsOf<Pick<Row, 'id' | 'starts_at' | 'ends_at'>>(this.#db.query, { text, params: [now] }),
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  /** Silences that have not ended, the first to end first. */
  async current(now: number): Promise<Silence[]> {
    return this.byIds((await this.times(now)).map(({ id }) => id));
  }

  /** Silences with these ids, in their order. */
  byIds(ids: readonly number[]): Promise<Silence[]> {
    return readByIds(ids, (some) => {
      const text = `select ${COLUMNS} from alert_silence where id in (${marks(some.length)})`;
      return this.#rows(this.#db.query, text, some);
    });
  }

  /** Every silence that is kept, the newest first. */
  async all(): Promise<Silence[]> {
    const text = `select id from alert_silence order by id desc limit ${MOST_SILENCES}`;
    const rows = await guarded(FAILED, () =>
      rowsOf<{ id: number }>(this.#db.query, { text, params: [] }),
    );
    return this.byIds(rows.map(({ id }) => Number(id)));
  }

  /** Silences of this owner that have not ended, `id: reason`. */
  async ownedBy(owner: string, now: number): Promise<string[]> {
    const text = `select id, reason from alert_silence where owner = ? and ends_at > ? order by id limit ${MOST_SILENCES}`;
    const sql = { text, params: [owner, now] };
    const rows = await guarded(FAILED, () =>
      rowsOf<Pick<Row, 'id' | 'reason'>>(this.#db.query, sql),
    );
    return rows.map(({ id, reason }) => `${id}: ${reason}`);
  }

  async find(id: number): Promise<Silence | undefined> {
    return (await this.byIds([id]))[0];
  }

  /** Adds a silence, and deletes those that ended long ago. @throws RpcError 108 where its owner has too many */
  insert(silence: Omit<Silence, 'id' | 'ended_by'>): Promise<Silence> {
    const { scope, reason, created_by, created_at, starts_at, ends_at, owner } = silence;
    const change = { kind: HELD_SILENCES, owner, alone: 'alert_silence' };
    return guarded(FAILED, () =>
      this.#counting.within(change, async (trx) => {
        await rowsOf(trx, {
          text: `delete from alert_silence where ends_at < ? or (ends_at <= ? and id <=
            (select max(id) from alert_silence) - ${KEPT}) returning id`,
          params: [created_at - KEPT_MS, created_at],
        });
        const [added] = await this.#rows(
          trx,
          `insert into alert_silence (scope, reason, created_by, created_at, starts_at, ends_at, owner)
            values (?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
          [JSON.stringify(scope), reason, created_by, created_at, starts_at, ends_at, owner],
        );
        return added as Silence;
      }),
    );
  }

  /** Ends a silence now. @returns undefined: it is over, or there is none */
  async end(id: number, by: string, now: number): Promise<Silence | undefined> {
    const [silence] = await this.#rows(
      this.#db.query,
      `update alert_silence set ends_at = cast(? as bigint), ended_by = ?,
          starts_at = case when starts_at > cast(? as bigint) then cast(? as bigint) else starts_at end
        where id = ? and ends_at > ? returning ${COLUMNS}`,
      [now, by, now, now, id, now],
    );
    return silence;
  }

  async #rows(on: QueryBuilder, text: string, params: readonly SqlValue[]): Promise<Silence[]> {
    const rows = await guarded(FAILED, () => rowsOf<Row>(on, { text, params }));
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      scope: JSON.parse(row.scope) as Matcher,
    }));
  }
}

const FAILED = 'silences could not be read or changed';
