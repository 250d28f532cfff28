import type { Database } from '@svc/plugin-sdk';
import type { RawJson } from '@svc/plugin-sdk/json';
import { marks, type QueryBuilder, rowsOf, type Sql, type SqlValue } from '@svc/plugin-sdk/sql';

/** Rows and bytes of one kind. */
export interface Held {
  readonly rows: number;
  readonly bytes: number;
}

/** Holdings of one owner; null: the Super Token. */
export interface HeldBy extends Held {
  readonly holder: string | null;
}

/** Reader on whose behalf a query runs. */
export interface Reader {
  readonly signal: AbortSignal;
  readonly share: string;
}

/** Most generations of parents that are followed. */
const MAX_GENERATIONS = 32;
/** Most owners of one kind in a list. */
const MAX_LISTED = 100;
const MAX_LIST_BYTES = 2 ** 20;

/** Tokens that a token created, and the topmost one above each; every other token is its own. */
const ANCESTRY = `with recursive line (token_key, holder) as (
  select token_key, holder from (
    select cast(t.token_key as text) as token_key, coalesce(g.holder, t.parent) as holder
      from token t left join token p on p.token_key = t.parent left join token_gone g on g.token_key = t.parent
      where t.parent is not null and p.parent is null
    union all select token_key, holder from token_gone where holder is not null) top
  union all select cast(t.token_key as text), l.holder from line l join token t on t.parent = l.token_key)`;

/** Keys of one statement: with up to so many the databases use the index for each. */
const KEYS_PER_STATEMENT = 500;
const SUM = 'count(*) as "rows", coalesce(sum(bytes), 0) as bytes';

/** Counts and sums over the stored rows of each kind. */
export class HoldingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Topmost token above this key, itself included. It never changes. */
  async holderOf(owner: string): Promise<string> {
    let key = owner;
    for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
      const sql = 'select parent from token where token_key = ?';
      const row = await this.#db.first<{ parent: string | null }>(sql, [key]);
      if (!row) return (await this.#holderOfGone(key)) ?? key;
      if (row.parent === null) return key;
      key = row.parent;
    }
    return key;
  }

  /** Locks changes of this kind for this holder until the end of the transaction. */
  async lock(on: QueryBuilder, [kind, holder]: readonly [number, number]): Promise<void> {
    const { takeTurn } = this.#db.forms;
    if (takeTurn !== undefined) await on.raw(takeTurn, [kind, holder]);
  }

  /** Tells whether the token exists, or is a deleted one with dependents. */
  async exists(on: QueryBuilder, token_key: string): Promise<boolean> {
    const of = (table: string) => `select token_key from ${table} where token_key = ?`;
    const text = `${of('token')} union all ${of('token_gone')}`;
    return (await keysOf(on, { text, params: [token_key, token_key] })).length > 0;
  }

  /** Token with this key, the tokens below it, and those of them that were deleted. A join would read the whole table. */
  async family(on: QueryBuilder, holder: string): Promise<string[]> {
    const gone = 'select token_key from token_gone where holder = ?';
    const family = new Set([holder, ...(await keysOf(on, { text: gone, params: [holder] }))]);
    const parents = [...family];
    while (parents.length > 0) {
      const params = parents.splice(0, KEYS_PER_STATEMENT);
      const text = `select token_key from token where parent in (${marks(params.length)})`;
      const children = (await keysOf(on, { text, params })).filter((key) => !family.has(key));
      for (const key of children) family.add(key);
      parents.push(...children);
    }
    return [...family];
  }

  /** Sums over the rows of these owners. */
  async sumOfFamily(on: QueryBuilder, rows: string, family: readonly string[]): Promise<Held> {
    const sum = { rows: 0, bytes: 0 };
    for (let at = 0; at < family.length; at += KEYS_PER_STATEMENT) {
      const params = family.slice(at, at + KEYS_PER_STATEMENT);
      const text = `select ${SUM} from (${rows}) r where r.owner in (${marks(params.length)})`;
      const held = await this.#held(on, { text, params });
      sum.rows += held.rows;
      sum.bytes += held.bytes;
    }
    return sum;
  }

  async holdsAny(rows: string, owner: string): Promise<boolean> {
    const sql = `select 1 as one from (${rows}) r where r.owner = ? limit 1`;
    return (await this.#db.first(sql, [owner])) !== undefined;
  }

  /** Sums over the rows of the Super Token, or of all others. */
  sumOfSuper(on: QueryBuilder, rows: string, isSuper: boolean): Promise<Held> {
    const text = `select ${SUM} from (${rows}) r where r.owner is ${isSuper ? '' : 'not '}null`;
    return this.#held(on, { text, params: [] });
  }

  /** Reads the holdings of a topmost token, null for the Super Token, off the event loop and without delaying writes. */
  async read(rows: string, holder: string | null, reader: Reader): Promise<Held> {
    const which = `from (${rows}) r where r.owner`;
    if (holder === null) return this.#read(`${which} is null`, [], reader);
    const family = await this.family(this.#db.query, holder);
    const sum = { rows: 0, bytes: 0 };
    for (let at = 0; at < family.length; at += KEYS_PER_STATEMENT) {
      const keys = family.slice(at, at + KEYS_PER_STATEMENT);
      const held = await this.#read(`${which} in (${marks(keys.length)})`, keys, reader);
      sum.rows += held.rows;
      sum.bytes += held.bytes;
    }
    return sum;
  }

  /** Reads the largest holders, the Super Token included, off the event loop. */
  async largest(rows: string, reader: Reader): Promise<HeldBy[]> {
    const text = `${ANCESTRY} select concat('[', ${this.#db.forms.jsonText('held.holder')}, ',', held.n, ',', held.bytes, ']')
      from (select coalesce(l.holder, r.owner) as holder, count(*) as n, coalesce(sum(r.bytes), 0) as bytes
        from (${rows}) r left join line l on l.token_key = r.owner
        group by coalesce(l.holder, r.owner)) held
      order by held.bytes desc, held.n desc, held.holder limit ?`;
    const options = { maxBytes: MAX_LIST_BYTES, ...reader };
    const json = await this.#db.jsonArray(text, [MAX_LISTED], options);
    const list = JSON.parse(textOf(json)) as [string | null, number, number][];
    return list.map(([holder, count, bytes]) => ({ holder, rows: count, bytes }));
  }

  /** Usernames of tokens by their keys. */
  async names(keys: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (keys.length === 0) return new Map();
    const text = `select token_key, username from token where token_key in (${marks(keys.length)})`;
    const rows = await this.#db.all<{ token_key: string; username: string | null }>(text, keys);
    return new Map(rows.map(({ token_key, username }) => [token_key, username]));
  }

  async #holderOfGone(key: string): Promise<string | null | undefined> {
    const sql = 'select holder from token_gone where token_key = ?';
    return (await this.#db.first<{ holder: string | null }>(sql, [key]))?.holder;
  }

  async #read(from: string, params: readonly string[], reader: Reader): Promise<Held> {
    const text = `select concat('[', count(*), ',', coalesce(sum(bytes), 0), ']') ${from}`;
    const json = await this.#db.jsonArray(text, params, { maxBytes: MAX_LIST_BYTES, ...reader });
    const [[held = 0, bytes = 0] = []] = JSON.parse(textOf(json)) as number[][];
    return { rows: held, bytes };
  }

  async #held(on: QueryBuilder, sql: Sql): Promise<Held> {
    const [row] = await rowsOf<{ rows: SqlValue; bytes: SqlValue }>(on, sql);
    return { rows: Number(row?.rows ?? 0), bytes: Number(row?.bytes ?? 0) };
  }
}

const textOf = ({ text }: RawJson): string => Buffer.from(text as string).toString();

async function keysOf(on: QueryBuilder, sql: Sql): Promise<string[]> {
  return (await rowsOf<{ token_key: string }>(on, sql)).map(({ token_key }) => token_key);
}
