import { type Clock, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Pass, Passes } from '../api.ts';
import {
  digestBytes,
  KEY,
  matchesDigest,
  newKey,
  newSecret,
  parseCredential,
} from '../login/credential.ts';
import type { Records } from '../records/cache.ts';
import type { Lookups } from '../records/lookups.ts';
import type { Refresh } from '../records/refresh.ts';
import { stampOf } from '../records/store.ts';
import { tokenOf } from '../records/token.ts';
import type { Sessions } from './active.ts';
import { sessionOf } from './session.ts';
import type { PassRow, PassStore } from './store-passes.ts';

const LASTS_MS = 600_000;
/** Of one token. */
const MOST = 100;
/** Rows stay so long after their end: the clocks of servers differ. */
const LEFT_MS = 600_000;

interface PassesParts {
  readonly store: PassStore;
  readonly records: Pick<Records, 'byKey'>;
  readonly sessions: Pick<Sessions, 'byKey'>;
  readonly lookups: Pick<Lookups, 'find'>;
  readonly refresh: Pick<Refresh, 'overdue' | 'look'>;
  readonly clock: Clock;
  readonly salt: string;
  /** The stored form of a secret. */
  readonly hashSecret: (secret: string) => string;
}

/** Secrets for one purpose each. They are in the table alone: another server may be asked for one at once. */
export class TokenPasses implements Passes {
  readonly #parts: PassesParts;

  constructor(parts: PassesParts) {
    this.#parts = parts;
  }

  async make(caller: Principal, purpose: string): Promise<Pass> {
    const { store, clock, hashSecret } = this.#parts;
    const token = tokenOf(caller);
    if (!token) throw RpcError.invalid('the caller is no token, so it makes no passes');
    const session = sessionOf(caller);
    const [key, secret, made_at] = [newKey(), newSecret(), clock.now()];
    const lasts = Number(session?.ends_at ?? token.lasts ?? Number.POSITIVE_INFINITY);
    const ends_at = Math.min(made_at + LASTS_MS, lasts);
    await store.insert(
      {
        pass_key: key,
        pass_hash: hashSecret(secret),
        purpose,
        parent: token.key,
        session_key: session?.key ?? null,
        stamp: stampOf(token.row),
        made_at,
        ends_at,
      },
      MOST,
    );
    return { key, secret, ends_at };
  }

  async maker(pass: string, purpose: string): Promise<Principal | undefined> {
    const { store, records, sessions, lookups, refresh, clock, salt } = this.#parts;
    await refresh.overdue();
    const given = parseCredential(pass);
    if (given?.mode !== 'token' || !KEY.test(given.name)) return undefined;
    // Spares tokens and sessions the look into the table.
    if (records.byKey(given.name) || sessions.byKey(given.name)) return undefined;
    const row = await store.find(given.name);
    if (!row || !matchesDigest(salt, given.secret, digestBytes(row.pass_hash))) return undefined;
    if (row.purpose !== purpose || clock.now() > row.ends_at) return undefined;
    await lookups.find('key', row.parent);
    const known = this.#behind(row);
    if (known) return known;
    // The pass is here, and what it was made with may be so new that this server has not heard of it.
    await refresh.look(row.parent);
    return this.#behind(row);
  }

  /** Forgets passes that are over. */
  sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    return store.sweep(clock.now() - LEFT_MS);
  }

  /** The token or session, where that is what it was when the pass was made. */
  #behind({ parent, session_key, stamp }: PassRow): Principal | undefined {
    const { records, sessions } = this.#parts;
    const token = records.byKey(parent);
    if (token?.validity() !== 'ok' || stampOf(token.row) !== stamp) return undefined;
    if (session_key === null) return token.principal;
    const session = sessions.byKey(session_key);
    return session?.token === token ? session.principal : undefined;
  }
}
