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
import type { ActiveSessions } from './active.ts';
import { sessionOf } from './session.ts';
import type { PassRow, PassStore } from './store-passes.ts';

const VALIDITY_MS = 600_000;
/** Most passes of one token. */
const MAX_PER_TOKEN = 100;
/** Time that rows stay after their end: the clocks of servers differ. */
const RETENTION_MS = 600_000;

interface PassesDependencies {
  readonly store: PassStore;
  readonly records: Pick<Records, 'byKey'>;
  readonly sessions: Pick<ActiveSessions, 'byKey'>;
  readonly lookups: Pick<Lookups, 'load'>;
  readonly refresh: Pick<Refresh, 'overdue' | 'reload'>;
  readonly clock: Clock;
  readonly salt: string;
  /** Stored form of a secret. */
  readonly hashSecret: (secret: string) => string;
}

/** Service `Passes`: secrets for one purpose each. They are not cached: another server may be asked for one at once. */
export class TokenPasses implements Passes {
  readonly #deps: PassesDependencies;

  constructor(deps: PassesDependencies) {
    this.#deps = deps;
  }

  async make(caller: Principal, purpose: string): Promise<Pass> {
    const { store, clock, hashSecret } = this.#deps;
    const token = tokenOf(caller);
    if (!token) throw RpcError.invalid('the caller is no token, so it makes no passes');
    const session = sessionOf(caller);
    const [key, secret, made_at] = [newKey(), newSecret(), clock.now()];
    const lasts = Number(session?.ends_at ?? token.validUntil ?? Number.POSITIVE_INFINITY);
    const ends_at = Math.min(made_at + VALIDITY_MS, lasts);
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
      MAX_PER_TOKEN,
    );
    return { key, secret, ends_at };
  }

  async maker(pass: string, purpose: string): Promise<Principal | undefined> {
    const { store, records, sessions, lookups, refresh, clock, salt } = this.#deps;
    await refresh.overdue();
    const given = parseCredential(pass);
    if (given?.mode !== 'token' || !KEY.test(given.name)) return undefined;
    // Tokens and sessions need no query.
    if (records.byKey(given.name) || sessions.byKey(given.name)) return undefined;
    const row = await store.find(given.name);
    if (!row || !matchesDigest(salt, given.secret, digestBytes(row.pass_hash))) return undefined;
    if (row.purpose !== purpose || clock.now() > row.ends_at) return undefined;
    await lookups.load('key', row.parent);
    const maker = this.#makerOf(row);
    if (maker) return maker;
    // The credential that made the pass may be so new that this server has not received its message yet.
    await refresh.reload(row.parent);
    return this.#makerOf(row);
  }

  /** Deletes expired passes. */
  sweep(): Promise<void> {
    const { store, clock } = this.#deps;
    return store.sweep(clock.now() - RETENTION_MS);
  }

  /** Principal that made the pass, where its token and session still have the same credentials. */
  #makerOf({ parent, session_key, stamp }: PassRow): Principal | undefined {
    const { records, sessions } = this.#deps;
    const token = records.byKey(parent);
    if (token?.validity() !== 'ok' || stampOf(token.row) !== stamp) return undefined;
    if (session_key === null) return token.principal;
    const session = sessions.byKey(session_key);
    return session?.token === token ? session.principal : undefined;
  }
}
