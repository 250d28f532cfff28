import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Records } from './records.ts';
import { Session } from './session.ts';
import type { FoundSession, SessionStore, Use } from './store-sessions.ts';

/** Rows stay so long after their end: the clocks of servers differ. */
const LEFT_MS = 3_600_000;
/** Uses that wait to be stored; more come with later ones. */
const WAITING = 1_000;

interface SessionsParts {
  readonly store: SessionStore;
  readonly records: Pick<Records, 'byId'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** All sessions in memory; kept equal to the table by `Refresh`. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #byKey = new Map<string, Session>();
  /** By record id of the token. */
  readonly #ofToken = new Map<number, Set<Session>>();
  readonly #unsaved = new Map<string, Use>();
  #isFailing = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  byKey(key: string): Session | undefined {
    const session = this.#byKey.get(key);
    return session?.live ? session : undefined;
  }

  all(): Promise<FoundSession[]> {
    return this.#parts.store.all();
  }

  of(token_id: number): Promise<FoundSession[]> {
    return this.#parts.store.of(token_id);
  }

  /** The record id of the token that has this session, as the table knows it. */
  ownerOf(key: string): Promise<number | undefined> {
    return this.#parts.store.ownerOf(key);
  }

  replaceAll(rows: readonly FoundSession[]): void {
    const byToken = Map.groupBy(rows, ({ token_id }) => token_id);
    for (const id of [...this.#ofToken.keys()]) if (!byToken.has(id)) this.drop(id);
    for (const [id, of] of byToken) this.replace(id, of);
  }

  /** `rows`: every session of the token. */
  replace(token_id: number, rows: readonly FoundSession[]): void {
    const { records, clock } = this.#parts;
    const token = records.byId(token_id);
    const sessions = this.#ofToken.get(token_id) ?? new Set();
    const known = new Map(rows.map((row) => [row.session_key, row]));
    for (const session of [...sessions])
      if (known.get(session.key)?.fits !== session.row.fits || session.token !== token)
        this.#end(session, sessions);
    this.#ofToken.set(token_id, sessions);
    for (const row of token ? rows : []) {
      if (this.#byKey.has(row.session_key)) continue;
      const session = new Session(row, token as NonNullable<typeof token>, clock, this.#used);
      this.#byKey.set(session.key, session);
      sessions.add(session);
    }
    if (sessions.size === 0) this.#ofToken.delete(token_id);
  }

  /** The token is gone, or may be. */
  drop(token_id: number): void {
    this.replace(token_id, []);
  }

  /** True when a table with the marks of now may be the one in memory. */
  async resembles(): Promise<boolean> {
    const now = this.#parts.clock.now();
    const marks = await this.#parts.store.marks(now);
    let [total, newest] = [0, 0];
    for (const { row } of this.#byKey.values()) {
      if (row.ends_at < now) continue;
      total++;
      newest = Math.max(newest, row.made_at);
    }
    return total === marks.total && newest === marks.newest;
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
    for (const [id, sessions] of this.#ofToken)
      for (const session of [...sessions]) {
        if (session.ends_at < before) this.#end(session, sessions);
        if (sessions.size === 0) this.#ofToken.delete(id);
      }
    await store.sweep(before);
  }

  readonly #used = (use: Use): void => {
    if (this.#unsaved.size < WAITING) this.#unsaved.set(use.session_key, use);
  };

  #end(session: Session, sessions: Set<Session>): void {
    sessions.delete(session);
    this.#byKey.delete(session.key);
    session.end();
  }
}
