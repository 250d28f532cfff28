import { hash } from 'node:crypto';
import { type Counting, type Database, RpcError, UserError } from '@svc/plugin-sdk';
import type { Time } from '../api.ts';

/** Record id of the Super Token (auth.md §4). */
export const SUPER_ID = 1;

/** One row of the table `token` (auth.md §3); `token_limit` as JSON text on both databases. */
export interface TokenRow {
  readonly id: number;
  readonly token_key: string;
  readonly token_hash: string;
  readonly time_stamp_from: Time;
  readonly time_stamp_to: Time;
  readonly token_limit: string;
  readonly username: string | null;
  readonly password_hash: string | null;
  /** Key of the token that created this one; null: the Super Token, or not recorded. */
  readonly parent: string | null;
}

/** Columns that a token logs in with. */
export type LoginFields = Pick<TokenRow, 'token_hash' | 'password_hash' | 'username'>;

/** Digest of these columns: a session stores the one of its token. */
export const stampOf = ({ token_hash, password_hash, username }: LoginFields): string =>
  hash('sha256', JSON.stringify([token_hash, password_hash, username]), 'hex');

/** Row of a deleted token with dependents: its last rights. */
export type DeletedRow = Pick<TokenRow, 'token_key' | 'token_limit'>;

/** Owner of what a deleted token leaves: the topmost token above it, null for itself. */
export interface DeletedOwner {
  readonly holder: string | null;
}

export type NewToken = Omit<TokenRow, 'id'>;

/** Values that differ after most changes of the table, at the price of a few index reads. */
export interface Fingerprint {
  readonly total: number;
  readonly newest: number;
  readonly super_hash: string | null;
  readonly super_password: string | null;
}

export interface TokenName {
  readonly id: number;
  readonly token_key: string;
  readonly username: string | null;
}

export const COLUMNS =
  'id, token_key, token_hash, time_stamp_from, time_stamp_to, cast(token_limit as text) as token_limit, username, password_hash, parent';
const SELECT_DELETED = 'select token_key, cast(token_limit as text) as token_limit from token_gone';

/** SQL of the tables `token` and `token_gone`. */
export class TokenStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  read(id: number): Promise<TokenRow | undefined> {
    return this.#db.first<TokenRow>(`select ${COLUMNS} from token where id = ?`, [id]);
  }

  deletedToken(token_key: string): Promise<DeletedRow | undefined> {
    return this.#db.first<DeletedRow>(`${SELECT_DELETED} where token_key = ?`, [token_key]);
  }

  async fingerprint(): Promise<Fingerprint> {
    const marks = await this.#db.first<Fingerprint>(
      `select count(*) as total, coalesce(max(id), 0) as newest,
        (select token_hash from token where id = 1) as super_hash,
        (select password_hash from token where id = 1) as super_password from token`,
    );
    return marks ?? { total: 0, newest: 0, super_hash: null, super_password: null };
  }

  nameOf(id: number): Promise<TokenName | undefined> {
    return this.#db.first<TokenName>('select id, token_key, username from token where id = ?', [
      id,
    ]);
  }

  /** Finds by key, then by username; both have a unique index. */
  async find(name: string): Promise<TokenName | undefined> {
    // Some databases store no zero character, so no record has such a name.
    if (!this.#db.forms.holdsZero && name.includes('\0')) return undefined;
    const columns = 'select id, token_key, username from token where';
    return (
      (await this.#db.first<TokenName>(`${columns} token_key = ?`, [name])) ??
      (await this.#db.first<TokenName>(`${columns} username = ?`, [name]))
    );
  }

  /** Tells whether this is the key of a token, or of a deleted one with dependents. */
  async isKey(text: string): Promise<boolean> {
    const of = (table: string) => `select token_key from ${table} where token_key = ?`;
    const both = `${of('token')} union all ${of('token_gone')}`;
    return (await this.#db.first(both, [text, text])) !== undefined;
  }

  /**
   * A token with a parent counts for it.
   * @throws RpcError 108 when its owner holds enough; 103, with the same text for a taken username on both databases
   */
  async insert(record: NewToken, holdings: Pick<Counting, 'within'>): Promise<number> {
    const change = { kind: 'token', owner: record.parent };
    try {
      return await holdings.within(change, async (on) => {
        const [row] = await on<TokenRow>('token').insert(record).returning('id');
        return Number(row?.id);
      });
    } catch (cause) {
      if (this.#db.isUniqueViolation(cause)) {
        throw RpcError.database('Database insert error: the username is already in use');
      }
      throw databaseErrorOf('Database insert error: ', cause);
    }
  }

  /** Tells whether the Super Token exists: a server then starts on a full disk, and hashes no password. */
  async hasSuper(): Promise<boolean> {
    return (await this.#db.first('select id from token where id = ?', [SUPER_ID])) !== undefined;
  }

  /**
   * Decided by the primary key. Any unique index may meet the record of another start first, so which one it was is seen
   * by looking for record 1. @returns false when id 1 exists
   */
  async insertSuper(record: NewToken): Promise<boolean> {
    const row = { ...record, id: SUPER_ID };
    const insert = this.#db.query('token').insert(row).onConflict().ignore().returning('id');
    if ((await insert).length > 0) return true;
    if (await this.hasSuper()) return false;
    throw new UserError(
      `table 'token' has no record 1, but another record named '${record.username}': give that one another username`,
    );
  }

  async replaceSuper(record: NewToken): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const { token_key: parent } = (await trx('token').where({ id: SUPER_ID }).first()) ?? {};
      await trx('token').where({ id: SUPER_ID }).delete();
      if (parent !== undefined) await trx('token_session').where({ parent }).delete();
      await trx('token').insert({ ...record, id: SUPER_ID });
    });
  }

  /** Stores a new limit. @returns false when the record is deleted */
  async setLimit(id: number, token_limit: string): Promise<boolean> {
    return (await this.#update(id, { token_limit }, 'Database update error: ')) > 0;
  }

  async setPassword(id: number, password_hash: string): Promise<boolean> {
    return this.#updateLogin(id, { password_hash }, 'Failed to update password: ');
  }

  /** Sets the password while the stored one is one of `from`. @returns false when it is not */
  async replacePassword(
    id: number,
    from: readonly string[],
    password_hash: string,
  ): Promise<boolean> {
    return this.#updateLogin(id, { password_hash }, 'Failed to update password: ', from);
  }

  async setSecret(id: number, token_hash: string): Promise<boolean> {
    return this.#updateLogin(id, { token_hash }, 'Failed to update token secret: ');
  }

  /** Stores another form of the same password, so that sessions go on. @returns false when it was changed meanwhile */
  async upgradePassword(id: number, from: string, password_hash: string): Promise<boolean> {
    return this.#db.transaction(async (trx) => {
      const changed = trx('token').where({ id, password_hash: from });
      if ((await changed.update({ password_hash })) === 0) return false;
      const row = await trx<TokenRow>('token').where({ id }).first();
      if (!row) return false;
      const [before, stamp] = [stampOf({ ...row, password_hash: from }), stampOf(row)];
      for (const table of ['token_session', 'token_pass'])
        await trx(table).where({ parent: row.token_key, stamp: before }).update({ stamp });
      return true;
    });
  }

  /** Deletes a token, never the Super Token. `remember`: keeps its rights and owner for its dependents. @returns false when nothing was deleted */
  async delete({ id, token_key }: TokenName, remember: DeletedOwner | undefined): Promise<boolean> {
    if (id === SUPER_ID) return false;
    const work = this.#db.transaction(async (trx) => {
      if (remember) {
        await trx.raw(
          `insert into token_gone (token_key, token_limit, holder)
           select token_key, token_limit, cast(? as text) from token where id = ? and token_key = ?
           on conflict (token_key) do update set token_limit = excluded.token_limit, holder = excluded.holder`,
          [remember.holder, id, token_key],
        );
      }
      await trx('token_place').where({ token_id: id }).delete();
      const went = (await trx('token').where({ id }).delete()) > 0;
      if (went) await trx('token_session').where({ parent: token_key }).delete();
      return went;
    });
    return orDatabaseError('', work);
  }

  /** Stores another secret or password and ends the sessions. `from`: the stored passwords that may be replaced. */
  #updateLogin(
    id: number,
    values: Partial<NewToken>,
    what: string,
    from?: readonly string[],
  ): Promise<boolean> {
    const work = this.#db.transaction(async (trx) => {
      const marks = from?.map(() => '?').join();
      const row = trx('token').where({ id });
      const found = from ? row.whereRaw(`password_hash in (${marks})`, from) : row;
      if ((await found.update(values)) === 0) return false;
      const own = 'parent = (select token_key from token where id = ?)';
      await trx('token_session').whereRaw(own, [id]).delete();
      return true;
    });
    return orDatabaseError(what, work);
  }

  #update(id: number, values: Partial<NewToken>, what: string): Promise<number> {
    return orDatabaseError(what, this.#db.query('token').where({ id }).update(values));
  }
}

/** Returns the result of a query. @throws RpcError 103 with `what` before the driver's text */
export async function orDatabaseError<T>(what: string, query: PromiseLike<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw databaseErrorOf(what, error);
  }
}

const DATABASE = RpcError.database('');

/** Error 103 for a failed query; the database layer has removed the statement and its values from the text. */
function databaseErrorOf(what: string, error: unknown): unknown {
  if (!(error instanceof RpcError) || error.code !== DATABASE.code) return error;
  const text = error.message.slice(DATABASE.message.length);
  return RpcError.database(what + text, { cause: error.cause });
}
