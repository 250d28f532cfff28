import { setImmediate } from 'node:timers/promises';
import { type Database, marks, type SqlValue } from '@svc/plugin-sdk';
import type { Time } from '../api.ts';
import { COLUMNS, SUPER_ID, type TokenRow } from './store.ts';

/** A longer limit is read by itself, so that rows of one statement stay small. */
const LONG = 16_384;
const LIMIT = 'cast(token_limit as text)';
const SHORT = COLUMNS.replace(
  `${LIMIT} as token_limit`,
  `case when length(${LIMIT}) <= ${LONG} then ${LIMIT} end as token_limit`,
);
/** Longest line of parents that is followed. */
const GENERATIONS = 32;

/** A token above another one: the one that created it, and so on. */
export interface Above {
  /** null: it is not there any more. */
  readonly id: number | null;
  /** Last millisecond of its validity; null: no end. */
  readonly lasts: Time;
}

type ShortRow = Omit<TokenRow, 'token_limit'> & { readonly token_limit: string | null };

/** Reads of the table `token`, each by an index and of a bounded size. */
export class TokenReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  byIds(ids: readonly number[]): Promise<TokenRow[]> {
    return this.#in('id', ids);
  }

  byKeys(keys: readonly string[]): Promise<TokenRow[]> {
    return this.#in('token_key', keys.filter(this.#isHoldable));
  }

  byUsernames(names: readonly string[]): Promise<TokenRow[]> {
    return this.#in('username', names.filter(this.#isHoldable));
  }

  /** Ordered by id, behind this one. */
  after(id: number, most: number): Promise<TokenRow[]> {
    return this.#whole(`select ${SHORT} from token where id > ? order by id limit ?`, [id, most]);
  }

  /** The tokens above each of these, the nearest first. */
  async above(rows: readonly Pick<TokenRow, 'id' | 'parent'>[]): Promise<Map<number, Above[]>> {
    const ids = rows.flatMap(({ id, parent }) => (parent === null ? [] : [id]));
    if (ids.length === 0) return new Map();
    const found = await this.#db.all<{ child: number; id: number | null; lasts: Time }>(
      `with recursive line(child, generation, above) as (
         select id, 1, parent from token where id in (${marks(ids.length)})
         union all
         select line.child, line.generation + 1, t.parent
         from line join token t on t.token_key = line.above
         where t.parent is not null and line.generation < ${GENERATIONS})
       select line.child, t.id, case when t.id = ${SUPER_ID} then null else t.time_stamp_to end as lasts
       from line left join token t on t.token_key = line.above order by line.child, line.generation`,
      ids,
    );
    const lines = new Map<number, Above[]>();
    for (const { child, id, lasts } of found) {
      const line = lines.get(Number(child)) ?? [];
      lines.set(Number(child), line);
      line.push({ id: id === null ? null : Number(id), lasts });
    }
    return lines;
  }

  /** Keys of the tokens that this one created, ascending. */
  async childrenOf(key: string): Promise<string[]> {
    const text = 'select token_key from token where parent = ? order by token_key';
    const rows = await this.#db.all<Pick<TokenRow, 'token_key'>>(text, [key]);
    return rows.map(({ token_key }) => token_key);
  }

  #in(column: string, values: readonly SqlValue[]): Promise<TokenRow[]> {
    if (values.length === 0) return Promise.resolve([]);
    const text = `select ${SHORT} from token where ${column} in (${marks(values.length)})`;
    return this.#whole(text, values);
  }

  /** The embedded database answers at once: each long limit is read in a turn of the event loop of its own. */
  async #whole(text: string, values: readonly SqlValue[]): Promise<TokenRow[]> {
    const rows: TokenRow[] = [];
    for (const row of await this.#db.all<ShortRow>(text, values)) {
      if (row.token_limit !== null) rows.push(row as TokenRow);
      else {
        await setImmediate();
        const long = `select ${COLUMNS} from token where id = ?`;
        const whole = await this.#db.first<TokenRow>(long, [row.id]);
        if (whole) rows.push(whole);
      }
    }
    return rows;
  }

  /** Where no text holds a zero character, no record has such a name. */
  readonly #isHoldable = (name: string): boolean =>
    this.#db.forms.holdsZero || !name.includes('\0');
}
