import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Token } from '../records/token.ts';
import { Session } from './session.ts';
import type { FoundSession, SessionStore, SessionUse } from './store.ts';

/** Time that rows stay after their end: the clocks of servers differ. */
const RETENTION_MS = 3_600_000;
/** Most uses that wait to be stored; more come with later ones. */
const MAX_UNSAVED = 1_000;

interface SessionsDependencies {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sessions of the tokens that are in memory; kept equal to the table by `Refresh`. */
export class ActiveSessions {
  readonly #deps: SessionsDependencies;
  readonly #byKey = new Map<string, Session>();
  readonly #unsaved = new Map<string, SessionUse>();
  #isFailing = false;

  constructor(deps: SessionsDependencies) {
    this.#deps = deps;
  }

  /** Returns a live session of a cached token. */
  byKey(key: string): Session | undefined {
    const session = this.#byKey.get(key);
    return session?.live ? session : undefined;
  }

  /** Tells whether it is cached, ended or not. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Replaces the sessions of a token. `rows`: all of them, as stored. */
  replace(token: Token, rows: readonly FoundSession[]): void {
    const { sessions } = token;
    const known = new Map(rows.map((row) => [row.session_key, row]));
    for (const session of [...sessions.values()])
      if (known.get(session.key)?.matchesStamp !== session.row.matchesStamp) this.#end(session);
    for (const row of rows) {
      if (sessions.has(row.session_key)) continue;
      const session = new Session(row, token, this.#deps.clock, this.#queueUse);
      sessions.set(session.key, session);
    }
    this.onCached(token);
  }

  /** Indexes the sessions of a token that enters the cache. */
  onCached({ sessions }: Token): void {
    for (const session of sessions.values()) this.#byKey.set(session.key, session);
  }

  /** Drops the sessions of a token that leaves the cache from the index. */
  onEvicted({ sessions }: Token): void {
    for (const session of sessions.values()) this.#byKey.delete(session.key);
  }

  /** Stores the uses of sessions. A failure is logged once, and tried again. */
  async save(): Promise<void> {
    const uses = [...this.#unsaved.values()];
    if (uses.length === 0) return;
    this.#unsaved.clear();
    const { store, log } = this.#deps;
    try {
      await store.recordUses(uses);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn('where sessions were used could not be stored', { error });
      this.#isFailing = true;
      for (const use of uses) this.#queueUse(use);
    }
  }

  /** Deletes ended sessions. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#deps;
    const before = clock.now() - RETENTION_MS;
    for (const session of [...this.#byKey.values()])
      if (session.ends_at < before) this.#end(session);
    await store.sweep(before);
  }

  readonly #queueUse = (use: SessionUse): void => {
    if (this.#unsaved.size < MAX_UNSAVED) this.#unsaved.set(use.session_key, use);
  };

  #end(session: Session): void {
    session.token.sessions.delete(session.key);
    this.#byKey.delete(session.key);
    session.end();
  }
}
