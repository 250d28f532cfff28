import { type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Matcher, Silence } from '../types.ts';

/** Silences that may hold or lie ahead. */
export const MOST_SILENCES = 1_000;
/** Time for which ended ones are shown. */
const KEPT_MS = 90 * 86_400_000;

type Row = Omit<Silence, 'scope'> & { readonly scope: string };

const COLUMNS = 'id, scope, reason, created_by, created_at, starts_at, ends_at, ended_by';

/** Table `alert_silence`. Every method throws RpcError 103 when the database fails. */
export class SilenceStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Silences that have not ended, the first to end first. */
  current(now: number): Promise<Silence[]> {
    return this.#rows(
      `select ${COLUMNS} from alert_silence where ends_at > ? order by ends_at, id limit ${MOST_SILENCES}`,
      [now],
    );
  }

  /** Every silence that is kept, the newest first. */
  all(): Promise<Silence[]> {
    return this.#rows(
      `select ${COLUMNS} from alert_silence order by id desc limit ${MOST_SILENCES}`,
      [],
    );
  }

  async find(id: number): Promise<Silence | undefined> {
    const [silence] = await this.#rows(`select ${COLUMNS} from alert_silence where id = ?`, [id]);
    return silence;
  }

  /** Adds a silence, and deletes those that ended long ago. @throws RpcError 108 where there are too many */
  async insert(silence: Omit<Silence, 'id' | 'ended_by'>): Promise<Silence> {
    const { scope, reason, created_by, created_at, starts_at, ends_at } = silence;
    await this.#rows('delete from alert_silence where ends_at < ? returning id', [
      created_at - KEPT_MS,
    ]);
    const [added] = await this.#rows(
      `insert into alert_silence (scope, reason, created_by, created_at, starts_at, ends_at)
        select ?, ?, ?, cast(? as bigint), cast(? as bigint), cast(? as bigint)
        where (select count(*) from alert_silence where ends_at > ?) < ${MOST_SILENCES}
        returning ${COLUMNS}`,
      [JSON.stringify(scope), reason, created_by, created_at, starts_at, ends_at, created_at],
    );
    if (!added) {
      throw RpcError.invalid(`there are ${MOST_SILENCES} silences already: end some first`);
    }
    return added;
  }

  /** Ends a silence now. @returns undefined: it is over, or there is none */
  async end(id: number, by: string, now: number): Promise<Silence | undefined> {
    const [silence] = await this.#rows(
      `update alert_silence set ends_at = cast(? as bigint), ended_by = ?,
          starts_at = case when starts_at > cast(? as bigint) then cast(? as bigint) else starts_at end
        where id = ? and ends_at > ? returning ${COLUMNS}`,
      [now, by, now, now, id, now],
    );
    return silence;
  }

  async #rows(text: string, params: readonly SqlValue[]): Promise<Silence[]> {
    const rows = await guarded('silences could not be read or changed', () =>
      rowsOf<Row>(this.#db.query, { text, params }),
    );
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      scope: JSON.parse(row.scope) as Matcher,
    }));
  }
}
