import { hash } from 'node:crypto';
import { type Clock, type Logger, type Messaging, Type, topic } from '@svc/plugin-sdk';
import type { Token } from '../records/token.ts';
import { networkOf } from './network.ts';
import type { PlaceRow, PlaceStore } from './store-locations.ts';

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
  /** A token that is in memory. */
  readonly tokenOf: (id: number) => Pick<Token, 'places'> | undefined;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly salt: string;
  readonly log: Logger;
}

/**
 * From where each token has logged in (`Token.places`): there its right credential gets through while somebody guesses at it.
 * Kept in the database, so that a start and other servers know it; addresses are stored as digests.
 */
export class Places {
  readonly #parts: PlacesParts;
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

  /** A login succeeded. Written once a day for each place. */
  saw({ id: token_id, places }: Pick<Token, 'id' | 'places'>, place: string): void {
    const seen_at = this.#parts.clock.now();
    const last = places.get(place);
    if (last !== undefined && seen_at - last < DAY_MS) return;
    if (this.#unsaved.size >= WAITING) return;
    if (last === undefined && !hasRoom(places, seen_at)) return;
    const row = { token_id, place, seen_at };
    this.#unsaved.set(`${token_id} ${place}`, row);
    this.#take(row, places);
  }

  /** The token is gone; its rows went with it. */
  drop({ id, places }: Pick<Token, 'id' | 'places'>): void {
    for (const place of places.keys()) this.#unsaved.delete(`${id} ${place}`);
  }

  /** What the table holds of tokens that have just come into memory. */
  of(ids: readonly number[]): Promise<PlaceRow[]> {
    return this.#parts.store.of(ids);
  }

  /** Takes over what the table holds of a token. */
  put(places: Token['places'], rows: readonly PlaceRow[]): void {
    for (const row of rows) if (row.seen_at > (places.get(row.place) ?? 0)) this.#take(row, places);
  }

  /** Hears of places of other servers. */
  listen(): void {
    const { messaging, clock, tokenOf } = this.#parts;
    messaging.subscribe(TokenSeen, ({ places }) => {
      const seen_at = clock.now();
      for (const [token_id, place] of places) {
        const token = tokenOf(token_id);
        if (token) this.#take({ token_id, place, seen_at }, token.places);
      }
    });
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

  #take(row: PlaceRow, places: Token['places']): void {
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

function hasRoom(places: ReadonlyMap<string, number>, now: number): boolean {
  if (places.size < MOST) return true;
  const [oldest = now] = places.values();
  return now - oldest >= DAY_MS;
}
