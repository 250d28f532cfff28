import {
  type Database,
  marks,
  type QueryBuilder,
  type RawJson,
  rowsOf,
  type Sql,
  type SqlValue,
} from '@svc/plugin-sdk';

/** What somebody holds of one kind. */
export interface Held {
  readonly rows: number;
  readonly bytes: number;
}

/** An owner of the list of all; null: the Super Token. */
export interface HeldBy extends Held {
  readonly holder: string | null;
}

/** For whom something is read. */
export interface Reader {
  readonly signal: AbortSignal;
  readonly share: string;
}

/** Longest line of parents that is followed. */
const GENERATIONS = 32;
/** Owners of one kind in the list of all. */
const MOST_LISTED = 100;
const LIST_BYTES = 2 ** 20;

/** The token with this key, the tokens below it, and those of them that were deleted. */
const FAMILY = `with recursive family (token_key) as (
  select token_key from (select cast(? as text) as token_key union all select token_key from token_gone where holder = ?) top
  union select cast(t.token_key as text) from family f join token t on t.parent = f.token_key)`;

/** Each token and its topmost one. A parent that is not known any more is the topmost one that can be told. */
const LINES = `with recursive line (token_key, holder) as (
  select token_key, holder from (
    select cast(token_key as text) as token_key, cast(token_key as text) as holder from token where parent is null and id <> 1
    union all select token_key, coalesce(holder, token_key) from token_gone
    union all select cast(t.token_key as text), t.parent from token t where t.parent is not null
      and not exists (select 1 from token p where p.token_key = t.parent)
      and not exists (select 1 from token_gone g where g.token_key = t.parent)) top
  union all select cast(t.token_key as text), l.holder from line l join token t on t.parent = l.token_key)`;

const SUM = 'count(*) as "rows", coalesce(sum(bytes), 0) as bytes';

/** Counts and sums over the rows of every kind, as they are. */
export class HoldingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The topmost token above this key, itself included. It never changes. */
  async holderOf(owner: string): Promise<string> {
    let key = owner;
    for (let generation = 0; generation < GENERATIONS; generation++) {
      const sql = 'select parent from token where token_key = ?';
      const row = await this.#db.first<{ parent: string | null }>(sql, [key]);
      if (!row) return (await this.#holderOfGone(key)) ?? key;
      if (row.parent === null) return key;
      key = row.parent;
    }
    return key;
  }

  /** Waits until no other change of this kind goes on for this holder, until the end of the transaction. */
  async takeTurn(on: QueryBuilder, [kind, holder]: readonly [number, number]): Promise<void> {
    const { takeTurn } = this.#db.forms;
    if (takeTurn !== undefined) await on.raw(takeTurn, [kind, holder]);
  }

  ofHolder(on: QueryBuilder, rows: string, holder: string): Promise<Held> {
    const text = `${FAMILY} select ${SUM} from (${rows}) r where r.owner in (select token_key from family)`;
    return this.#held(on, { text, params: [holder, holder] });
  }

  async holdsAny(rows: string, owner: string): Promise<boolean> {
    const sql = `select 1 as one from (${rows}) r where r.owner = ? limit 1`;
    return (await this.#db.first(sql, [owner])) !== undefined;
  }

  /** Of the Super Token, or of everybody else. */
  ofSuper(on: QueryBuilder, rows: string, isSuper: boolean): Promise<Held> {
    const text = `select ${SUM} from (${rows}) r where r.owner is ${isSuper ? '' : 'not '}null`;
    return this.#held(on, { text, params: [] });
  }

  /** The same as `ofHolder` and, for null, `ofSuper`, away from the event loop and from what writes. */
  async read(rows: string, holder: string | null, reader: Reader): Promise<Held> {
    const [family, condition] =
      holder === null
        ? ['', 'r.owner is null']
        : [FAMILY, 'r.owner in (select token_key from family)'];
    const text = `${family} select concat('[', count(*), ',', coalesce(sum(bytes), 0), ']') from (${rows}) r where ${condition}`;
    const params = holder === null ? [] : [holder, holder];
    const json = await this.#db.jsonArray(text, params, { maxBytes: LIST_BYTES, ...reader });
    const [[held = 0, bytes = 0] = []] = JSON.parse(textOf(json)) as number[][];
    return { rows: held, bytes };
  }

  /** Those who hold most, the Super Token included; away from the event loop. */
  async largest(rows: string, reader: Reader): Promise<HeldBy[]> {
    const text = `${LINES} select concat('[', ${this.#db.forms.jsonText('held.holder')}, ',', held.n, ',', held.bytes, ']')
      from (select coalesce(l.holder, r.owner) as holder, count(*) as n, coalesce(sum(r.bytes), 0) as bytes
        from (${rows}) r left join line l on l.token_key = r.owner
        group by coalesce(l.holder, r.owner)) held
      order by held.bytes desc, held.n desc, held.holder limit ?`;
    const options = { maxBytes: LIST_BYTES, ...reader };
    const json = await this.#db.jsonArray(text, [MOST_LISTED], options);
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

  async #held(on: QueryBuilder, sql: Sql): Promise<Held> {
    const [row] = await rowsOf<{ rows: SqlValue; bytes: SqlValue }>(on, sql);
    return { rows: Number(row?.rows ?? 0), bytes: Number(row?.bytes ?? 0) };
  }
}

const textOf = ({ text }: RawJson): string => Buffer.from(text as string).toString();
