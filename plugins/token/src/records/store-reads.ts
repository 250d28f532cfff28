import { setImmediate } from 'node:timers/promises';
import type { Database } from '@svc/plugin-sdk';
import { marks, type SqlValue } from '@svc/plugin-sdk/sql';
import type { Time } from '../api.ts';
import { COLUMNS, SUPER_ID, type TokenRow } from './store.ts';

/** Limit text, in characters, above which it is read by itself, so that the rows of one statement stay small. */
const LONG_LIMIT = 16_384;
const LIMIT = 'cast(token_limit as text)';
const SHORT_COLUMNS = COLUMNS.replace(
  `${LIMIT} as token_limit`,
  `case when length(${LIMIT}) <= ${LONG_LIMIT} then ${LIMIT} end as token_limit`,
);
/** Most generations of parents that are followed. */
const MAX_GENERATIONS = 32;

/** Ancestor of a token: the one that created it, and so on. */
export interface Ancestor {
  /** null: deleted. */
  readonly id: number | null;
  /** Last millisecond of its validity; null: no end. */
  readonly valid_until: Time;
}

type ShortRow = Omit<TokenRow, 'token_limit'> & { readonly token_limit: string | null };

/** Reads of the table `token`, each by an index and of a bounded size. */
export class TokenReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  byIds(ids: readonly number[]): Promise<TokenRow[]> {
    return this.#selectIn('id', ids);
  }

  byKeys(keys: readonly string[]): Promise<TokenRow[]> {
    return this.#selectIn('token_key', keys.filter(this.#isHoldable));
  }

  byUsernames(names: readonly string[]): Promise<TokenRow[]> {
    return this.#selectIn('username', names.filter(this.#isHoldable));
  }

  /** Page of records after this id, ordered by id. */
  page(id: number, most: number): Promise<TokenRow[]> {
    return this.#selectWhole(
      `select ${SHORT_COLUMNS} from token where id > ? order by id limit ?`,
      [id, most],
    );
  }

  /** Returns the ancestors of each of these, the nearest first. */
  async ancestors(
    rows: readonly Pick<TokenRow, 'id' | 'parent'>[],
  ): Promise<Map<number, Ancestor[]>> {
    const ids = rows.flatMap(({ id, parent }) => (parent === null ? [] : [id]));
    if (ids.length === 0) return new Map();
    const found = await this.#db.all<{ child: number; id: number | null; valid_until: Time }>(
      `with recursive line(child, generation, above) as (
         select id, 1, parent from token where id in (${marks(ids.length)})
         union all
         select line.child, line.generation + 1, t.parent
         from line join token t on t.token_key = line.above
         where t.parent is not null and line.generation < ${MAX_GENERATIONS})
       select line.child, t.id, case when t.id = ${SUPER_ID} then null else t.time_stamp_to end as valid_until
       from line left join token t on t.token_key = line.above order by line.child, line.generation`,
      ids,
    );
    const lines = new Map<number, Ancestor[]>();
    for (const { child, id, valid_until } of found) {
      const line = lines.get(Number(child)) ?? [];
      lines.set(Number(child), line);
      line.push({ id: id === null ? null : Number(id), valid_until });
    }
    return lines;
  }

  /** Keys of the tokens that this one created, ascending. */
  async childrenOf(key: string): Promise<string[]> {
    const text = 'select token_key from token where parent = ? order by token_key';
    const rows = await this.#db.all<Pick<TokenRow, 'token_key'>>(text, [key]);
    return rows.map(({ token_key }) => token_key);
  }

  #selectIn(column: string, values: readonly SqlValue[]): Promise<TokenRow[]> {
    if (values.length === 0) return Promise.resolve([]);
    const text = `select ${SHORT_COLUMNS} from token where ${column} in (${marks(values.length)})`;
    return this.#selectWhole(text, values);
  }

  /** Selects rows, and each long limit in a turn of the event loop of its own: the embedded database answers synchronously. */
  async #selectWhole(text: string, values: readonly SqlValue[]): Promise<TokenRow[]> {
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

  /** Tells whether the database can store such a name: some store no zero character. */
  readonly #isHoldable = (name: string): boolean =>
    this.#db.forms.holdsZero || !name.includes('\0');
}
