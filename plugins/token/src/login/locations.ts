import { hash } from 'node:crypto';
import { countedAs } from '@svc/plugin-admission/api';
import { type Clock, type Logger, type Messaging, Type, topic } from '@svc/plugin-sdk';
import type { Token } from '../records/token.ts';
import type { LocationRow, LocationStore } from './store-locations.ts';

/** Logins that succeeded at these locations: `[id of the token, place]`. */
const TokenSeen = topic(
  'token.seen',
  Type.Object({ places: Type.Array(Type.Tuple([Type.Integer(), Type.String()])) }),
);

const DAY_MS = 86_400_000;
/** Time without a login after which a location is forgotten. */
const FORGET_MS = 90 * DAY_MS;
/** Most locations of one token: further ones replace one that was not used for a day. */
const MAX_PER_TOKEN = 64;
/** Most locations that wait to be stored; more come with their next login. */
const MAX_UNSAVED = 10_000;
const BATCH_SIZE = 500;

interface LocationsDependencies {
  readonly store: LocationStore;
  /** Returns a token that is in memory. */
  readonly tokenOf: (id: number) => Pick<Token, 'locations'> | undefined;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly salt: string;
  readonly log: Logger;
}

/**
 * Locations from which each token has logged in (`Token.locations`): there a valid credential is accepted while guesses are refused.
 * Stored in the database, for restarts and for other servers; addresses are stored as digests.
 */
export class LoginLocations {
  readonly #deps: LocationsDependencies;
  readonly #unsaved = new Map<string, LocationRow>();
  readonly #undeleted: LocationRow[] = [];
  #isFailing = false;

  constructor(deps: LocationsDependencies) {
    this.#deps = deps;
  }

  /** Digest of an address and a mode of login. */
  locationOf(mode: string, address: string): string {
    const text = `${this.#deps.salt} ${mode} ${countedAs(address)}`;
    return hash('sha256', text, 'base64url').slice(0, 22);
  }

  /** Records a successful login, once a day for each location. */
  recordLogin({ id: token_id, locations }: Pick<Token, 'id' | 'locations'>, place: string): void {
    const seen_at = this.#deps.clock.now();
    const last = locations.get(place);
    if (last !== undefined && seen_at - last < DAY_MS) return;
    if (this.#unsaved.size >= MAX_UNSAVED) return;
    if (last === undefined && !hasRoom(locations, seen_at)) return;
    const row = { token_id, place, seen_at };
    this.#unsaved.set(`${token_id} ${place}`, row);
    this.#add(row, locations);
  }

  /** Drops the pending rows of a deleted token. */
  dropToken({ id, locations }: Pick<Token, 'id' | 'locations'>): void {
    for (const place of locations.keys()) this.#unsaved.delete(`${id} ${place}`);
  }

  /** Reads the rows of tokens that have just been read into memory. */
  load(ids: readonly number[]): Promise<LocationRow[]> {
    return this.#deps.store.ofTokens(ids);
  }

  /** Merges stored rows into the locations of a token. */
  merge(locations: Token['locations'], rows: readonly LocationRow[]): void {
    for (const row of rows)
      if (row.seen_at > (locations.get(row.place) ?? 0)) this.#add(row, locations);
  }

  /** Subscribes to locations that other servers record. */
  listen(): void {
    const { messaging, clock, tokenOf } = this.#deps;
    messaging.subscribe(TokenSeen, ({ places }) => {
      const seen_at = clock.now();
      for (const [token_id, place] of places) {
        const token = tokenOf(token_id);
        if (token) this.#add({ token_id, place, seen_at }, token.locations);
      }
    });
  }

  /** Stores new locations and publishes them to the other servers. A failure is logged once, and tried again. */
  async save(): Promise<void> {
    const rows = [...this.#unsaved.values()].slice(0, BATCH_SIZE);
    const dropped = this.#undeleted.splice(0, BATCH_SIZE);
    if (rows.length === 0 && dropped.length === 0) return;
    const { store, messaging, log } = this.#deps;
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
    return this.#deps.store.deleteBefore(this.#deps.clock.now() - FORGET_MS);
  }

  #add(row: LocationRow, locations: Token['locations']): void {
    // The map's order is by time: the newest last.
    locations.delete(row.place);
    locations.set(row.place, row.seen_at);
    if (locations.size <= MAX_PER_TOKEN) return;
    const [[place, seen_at]] = locations as unknown as [[string, number]];
    locations.delete(place);
    this.#unsaved.delete(`${row.token_id} ${place}`);
    if (this.#undeleted.length < MAX_UNSAVED) this.#undeleted.push({ ...row, place, seen_at });
  }
}

function hasRoom(locations: ReadonlyMap<string, number>, now: number): boolean {
  if (locations.size < MAX_PER_TOKEN) return true;
  const [oldest = now] = locations.values();
  return now - oldest >= DAY_MS;
}
