import { hash } from 'node:crypto';
import { type Clock, type Logger, type Messaging, Type, topic } from '@svc/plugin-sdk';
import { networkOf } from './network.ts';
import type { PlaceRow, PlaceStore } from './store-places.ts';

/** Logins succeeded at these places: `[id of the token, place]`. */
const TokenSeen = topic(
  'token.seen',
  Type.Object({ places: Type.Array(Type.Tuple([Type.Integer(), Type.String()])) }),
);

const DAY_MS = 86_400_000;
/** A place that was not logged in from for so long is forgotten. */
const FORGET_MS = 90 * DAY_MS;
/** Places of one token: past that number a new one takes the place of one that was not used for a day. */
const MOST = 64;
/** Places that wait to be stored; more come with their next login. */
const WAITING = 10_000;
const BATCH = 500;

interface PlacesParts {
  readonly store: PlaceStore;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly salt: string;
  readonly log: Logger;
}

/**
 * From where each token has logged in: there its right credential gets through while somebody guesses at it. Kept in the
 * database, so that a start and other servers know it; addresses are stored as digests.
 */
export class Places {
  readonly #parts: PlacesParts;
  readonly #seen = new Map<number, Map<string, number>>();
  readonly #unsaved = new Map<string, PlaceRow>();
  readonly #dropped: PlaceRow[] = [];
  #isFailing = false;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /** The place of an address, for one way to log in. */
  placeOf(mode: string, address: string): string {
    const text = `${this.#parts.salt} ${mode} ${networkOf(address)}`;
    return hash('sha256', text, 'base64url').slice(0, 22);
  }

  has(id: number, place: string): boolean {
    return this.#seen.get(id)?.has(place) ?? false;
  }

  /** A login succeeded. Written once a day for each place. */
  saw(token_id: number, place: string): void {
    const seen_at = this.#parts.clock.now();
    const last = this.#seen.get(token_id)?.get(place);
    if (last !== undefined && seen_at - last < DAY_MS) return;
    if (this.#unsaved.size >= WAITING) return;
    if (last === undefined && !this.#hasRoom(token_id, seen_at)) return;
    const row = { token_id, place, seen_at };
    this.#unsaved.set(`${token_id} ${place}`, row);
    this.#take(row);
  }

  /** The token is gone; its rows went with it. */
  drop(id: number): void {
    for (const place of this.#seen.get(id)?.keys() ?? []) this.#unsaved.delete(`${id} ${place}`);
    this.#seen.delete(id);
  }

  /** Reads all places, and hears of those of other servers. */
  async load(): Promise<void> {
    const { messaging, store, clock } = this.#parts;
    messaging.subscribe(TokenSeen, ({ places }) => {
      const seen_at = clock.now();
      for (const [token_id, place] of places) this.#take({ token_id, place, seen_at });
    });
    for (const row of await store.all()) this.#take(row);
  }

  /** Stores what is new and tells the other servers. A failure is logged once, and tried again. */
  async save(): Promise<void> {
    const rows = [...this.#unsaved.values()].slice(0, BATCH);
    const dropped = this.#dropped.splice(0, BATCH);
    if (rows.length === 0 && dropped.length === 0) return;
    const { store, messaging, log } = this.#parts;
    try {
      await store.save(rows, dropped);
      for (const { token_id, place } of rows) this.#unsaved.delete(`${token_id} ${place}`);
      this.#isFailing = false;
      if (rows.length === 0) return;
      const places = rows.map(({ token_id, place }) => [token_id, place] as const);
      messaging.publish(TokenSeen, { places });
    } catch (error) {
      if (!this.#isFailing) log.warn('where tokens logged in could not be stored', { error });
      this.#isFailing = true;
    }
  }

  forgetOld(): Promise<unknown> {
    return this.#parts.store.forget(this.#parts.clock.now() - FORGET_MS);
  }

  #hasRoom(id: number, now: number): boolean {
    const places = this.#seen.get(id);
    if (!places || places.size < MOST) return true;
    const [oldest = now] = places.values();
    return now - oldest >= DAY_MS;
  }

  #take(row: PlaceRow): void {
    const places = this.#seen.get(row.token_id) ?? new Map<string, number>();
    this.#seen.set(row.token_id, places);
    // The youngest stands last.
    places.delete(row.place);
    places.set(row.place, row.seen_at);
    if (places.size <= MOST) return;
    const [[place, seen_at]] = places as unknown as [[string, number]];
    places.delete(place);
    this.#unsaved.delete(`${row.token_id} ${place}`);
    if (this.#dropped.length < WAITING) this.#dropped.push({ ...row, place, seen_at });
  }
}
