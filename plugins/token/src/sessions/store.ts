import { type Database, marks } from '@svc/plugin-sdk';
import { orRefused, type Proof, stampOf, type TokenRow } from '../records/store.ts';
import { makeRoom } from './evict.ts';

/** One row of the table `token_session`; times in Unix ms. */
export interface SessionRow {
  readonly session_key: string;
  readonly session_hash: string;
  /** Key of the token whose rights it has. */
  readonly parent: string;
  /** `stampOf` that token. */
  readonly stamp: string;
  /** What people know it by. */
  readonly name: string;
  readonly made_at: number;
  readonly ends_at: number;
  /** Of a use, some hours old at most. */
  readonly used_at: number;
  readonly used_from: string;
}

/** A session beside its token, as both were at one moment. */
export interface FoundSession extends SessionRow {
  readonly token_id: number;
  /** The token logs in with what it did when the session was made. */
  readonly fits: boolean;
}

/** Where a session was used last. */
export type Use = Pick<SessionRow, 'session_key' | 'used_at' | 'used_from'>;

/** Marks that tell a table from a changed one. */
export interface SessionMarks {
  readonly total: number;
  readonly newest: number;
}

const FOUND = `select s.session_key, s.session_hash, s.parent, s.stamp, s.name, s.made_at, s.ends_at, s.used_at, s.used_from,
  t.id as token_id, t.token_hash, t.password_hash, t.username
  from token_session s join token t on t.token_key = s.parent`;
const SWEPT = 500;

/** SQL of the table `token_session`. Whatever locks both tables takes `token` first. */
export class SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Of the tokens with these record ids; the index is `token_session_parent`. */
  async of(...ids: readonly number[]): Promise<FoundSession[]> {
    const text = `${FOUND} where t.id in (${marks(ids.length)})`;
    return (await this.#db.all<FoundSession & Proof>(text, ids)).map(found);
  }

  async marks(): Promise<SessionMarks> {
    const text = 'select count(*) as total, coalesce(max(made_at), 0) as newest from token_session';
    return (await this.#db.first<SessionMarks>(text)) ?? { total: 0, newest: 0 };
  }

  /** Record ids of the tokens that have these sessions. */
  async ownersOf(keys: readonly string[]): Promise<number[]> {
    const holdable = keys.filter((key) => this.#db.forms.holdsZero || !key.includes('\0'));
    if (holdable.length === 0) return [];
    const rows = await this.#db.all<{ id: number }>(
      `select distinct t.id from token_session s join token t on t.token_key = s.parent
       where s.session_key in (${marks(holdable.length)})`,
      holdable,
    );
    return rows.map(({ id }) => Number(id));
  }

  /**
   * What is over goes, and the oldest of more than `most` of one token. @returns false when the token logs in with something else by now
   * @throws RpcError 103
   */
  insert(row: SessionRow, most: number): Promise<boolean> {
    const { parent, stamp } = row;
    const work = this.#db.transaction(
      async (trx) => {
        const token = await trx<TokenRow>('token').where({ token_key: parent }).first();
        if (!token || stampOf(token) !== stamp) return false;
        await makeRoom(trx, { table: 'token_session', key: 'session_key' }, row, most);
        await trx('token_session').insert({ ...row });
        return true;
      },
      // What a token logs in with is not changed between the look and the row.
      { alone: 'token' },
    );
    return orRefused('', work);
  }

  /** The record id of the token that has this session. */
  async ownerOf(session_key: string): Promise<number | undefined> {
    return (await this.ownersOf([session_key]))[0];
  }

  remove(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return Promise.resolve(0);
    const gone = this.#db
      .query('token_session')
      .whereRaw(`session_key in (${marks(keys.length)})`, keys);
    return orRefused('', gone.delete());
  }

  async used(uses: readonly Use[]): Promise<void> {
    await this.#db.transaction(async (trx) => {
      for (const { session_key, ...use } of uses)
        await trx('token_session').where({ session_key }).update(use);
    });
  }

  /** Takes away some of what ended before `time`, and what other programs left of tokens that they deleted. */
  async sweep(time: number): Promise<void> {
    const over = ['where ends_at < ? order by ends_at limit ?', [time, SWEPT]] as const;
    const missing = 'select 1 from token t where t.token_key = token_session.parent';
    const left = [`where not exists (${missing}) limit ?`, [SWEPT]] as const;
    for (const [which, values] of [over, left]) {
      const found = await this.#db.all<Use>(
        `select session_key from token_session ${which}`,
        values,
      );
      // In one order everywhere, so that servers that sweep at one moment do not wait for each other.
      await this.remove(found.map(({ session_key }) => session_key).sort());
    }
  }
}

function found({ token_hash, password_hash, username, ...row }: FoundSession & Proof) {
  return { ...row, fits: row.stamp === stampOf({ token_hash, password_hash, username }) };
}
