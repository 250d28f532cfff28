import type { Database } from '@svc/plugin-sdk';
import { marks } from '@svc/plugin-sdk/sql';
import { type LoginFields, orDatabaseError, stampOf, type TokenRow } from '../records/store.ts';
import { evictSurplus } from './evict.ts';

/** One row of the table `token_session`; times in Unix ms. */
export interface SessionRow {
  readonly session_key: string;
  readonly session_hash: string;
  /** Key of the token whose rights it has. */
  readonly parent: string;
  /** `stampOf` that token. */
  readonly stamp: string;
  /** Name for display. */
  readonly name: string;
  readonly made_at: number;
  readonly ends_at: number;
  /** Time of a use, some hours old at most. */
  readonly used_at: number;
  readonly used_from: string;
}

/** Session with its token, read in one statement. */
export interface FoundSession extends SessionRow {
  readonly token_id: number;
  /** Tells whether the token's credentials are those of the session's creation. */
  readonly matchesStamp: boolean;
}

/** Last use of a session. */
export type SessionUse = Pick<SessionRow, 'session_key' | 'used_at' | 'used_from'>;

/** Values that differ after a session was added or removed. */
export interface SessionFingerprint {
  readonly total: number;
  readonly newest: number;
}

const SELECT_SESSIONS = `select s.session_key, s.session_hash, s.parent, s.stamp, s.name, s.made_at, s.ends_at, s.used_at, s.used_from,
  t.id as token_id, t.token_hash, t.password_hash, t.username
  from token_session s join token t on t.token_key = s.parent`;
const SWEEP_BATCH = 500;

/** SQL of the table `token_session`. Transactions that lock both tables lock `token` first. */
export class SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Sessions of the tokens with these record ids; the index is `token_session_parent`. */
  async ofTokens(...ids: readonly number[]): Promise<FoundSession[]> {
    const text = `${SELECT_SESSIONS} where t.id in (${marks(ids.length)})`;
    return (await this.#db.all<Omit<FoundSession, 'matchesStamp'> & LoginFields>(text, ids)).map(
      withStampCheck,
    );
  }

  async fingerprint(): Promise<SessionFingerprint> {
    const text = 'select count(*) as total, coalesce(max(made_at), 0) as newest from token_session';
    return (await this.#db.first<SessionFingerprint>(text)) ?? { total: 0, newest: 0 };
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
   * Inserts a session; expired ones, and the oldest of more than `most` of its token, are deleted. @returns false when the token's
   * credentials have changed
   * @throws RpcError 103
   */
  insert(row: SessionRow, most: number): Promise<boolean> {
    const { parent, stamp } = row;
    const work = this.#db.transaction(
      async (trx) => {
        const token = await trx<TokenRow>('token').where({ token_key: parent }).first();
        if (!token || stampOf(token) !== stamp) return false;
        await evictSurplus(trx, { table: 'token_session', key: 'session_key' }, row, most);
        await trx('token_session').insert({ ...row });
        return true;
      },
      // The token's credentials do not change between the check and the insert.
      { alone: 'token' },
    );
    return orDatabaseError('', work);
  }

  /** Record id of the token that has this session. */
  async ownerOf(session_key: string): Promise<number | undefined> {
    return (await this.ownersOf([session_key]))[0];
  }

  remove(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return Promise.resolve(0);
    const gone = this.#db
      .query('token_session')
      .whereRaw(`session_key in (${marks(keys.length)})`, keys);
    return orDatabaseError('', gone.delete());
  }

  async recordUses(uses: readonly SessionUse[]): Promise<void> {
    await this.#db.transaction(async (trx) => {
      for (const { session_key, ...use } of uses)
        await trx('token_session').where({ session_key }).update(use);
    });
  }

  /** Deletes some sessions that ended before `time`, and those of tokens that other programs deleted. */
  async sweep(time: number): Promise<void> {
    const over = ['where ends_at < ? order by ends_at limit ?', [time, SWEEP_BATCH]] as const;
    const missing = 'select 1 from token t where t.token_key = token_session.parent';
    const left = [`where not exists (${missing}) limit ?`, [SWEEP_BATCH]] as const;
    for (const [which, values] of [over, left]) {
      const found = await this.#db.all<SessionUse>(
        `select session_key from token_session ${which}`,
        values,
      );
      // In one order everywhere, so that servers that sweep at one moment do not wait for each other.
      await this.remove(found.map(({ session_key }) => session_key).sort());
    }
  }
}

function withStampCheck({
  token_hash,
  password_hash,
  username,
  ...row
}: Omit<FoundSession, 'matchesStamp'> & LoginFields): FoundSession {
  return { ...row, matchesStamp: row.stamp === stampOf({ token_hash, password_hash, username }) };
}
