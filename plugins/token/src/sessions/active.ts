import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Token } from '../records/token.ts';
import { Session } from './session.ts';
import type { FoundSession, SessionStore, Use } from './store.ts';

/** Rows stay so long after their end: the clocks of servers differ. */
const LEFT_MS = 3_600_000;
/** Uses that wait to be stored; more come with later ones. */
const WAITING = 1_000;

interface SessionsParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The sessions of the tokens that are in memory; kept equal to the table by `Refresh`. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #byKey = new Map<string, Session>();
  readonly #unsaved = new Map<string, Use>();
  #isFailing = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** Where its token is in memory. */
  byKey(key: string): Session | undefined {
    const session = this.#byKey.get(key);
    return session?.live ? session : undefined;
  }

  /** It is in memory, or was there until it ended. */
  knows(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** `rows`: every session of the token, as the table has them. */
  replace(token: Token, rows: readonly FoundSession[]): void {
    const { sessions } = token;
    const known = new Map(rows.map((row) => [row.session_key, row]));
    for (const session of [...sessions.values()])
      if (known.get(session.key)?.fits !== session.row.fits) this.#end(session);
    for (const row of rows) {
      if (sessions.has(row.session_key)) continue;
      const session = new Session(row, token, this.#parts.clock, this.#used);
      sessions.set(session.key, session);
    }
    this.came(token);
  }

  /** The token came into the cache. */
  came({ sessions }: Token): void {
    for (const session of sessions.values()) this.#byKey.set(session.key, session);
  }

  /** The token left the cache. */
  left({ sessions }: Token): void {
    for (const session of sessions.values()) this.#byKey.delete(session.key);
  }

  /** Stores where sessions were used. A failure is logged once, and tried again. */
  async save(): Promise<void> {
    const uses = [...this.#unsaved.values()];
    if (uses.length === 0) return;
    this.#unsaved.clear();
    const { store, log } = this.#parts;
    try {
      await store.used(uses);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn('where sessions were used could not be stored', { error });
      this.#isFailing = true;
      for (const use of uses) this.#used(use);
    }
  }

  /** Forgets sessions that are over. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    const before = clock.now() - LEFT_MS;
    for (const session of [...this.#byKey.values()])
      if (session.ends_at < before) this.#end(session);
    await store.sweep(before);
  }

  readonly #used = (use: Use): void => {
    if (this.#unsaved.size < WAITING) this.#unsaved.set(use.session_key, use);
  };

  #end(session: Session): void {
    session.token.sessions.delete(session.key);
    this.#byKey.delete(session.key);
    session.end();
  }
}
