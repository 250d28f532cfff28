import { BoundedCache } from '@svc/plugin-sdk/util';

const DAY_MS = 86_400_000;
/** Most locations; of more the oldest is forgotten, and its next login gets a row again. */
const MOST = 20_000;

/** Locations of tokens within a day: a page that is loaded again, or the next call of a script, is no login. */
export class Logins {
  /** Unix ms of the row, by token and place. */
  readonly #at = new BoundedCache<string, number>({ most: MOST });

  /** Tells whether no row of the day before `now` (Unix ms) records this location. A row of the future comes from a wrong clock. */
  isNew(token: string, place: string, now: number): boolean {
    const at = this.#at.get(`${token} ${place}`);
    return at === undefined || at > now || now - at >= DAY_MS;
  }

  /** Remembers a login that got a row of its own at this time (Unix ms). */
  recorded(token: string, place: string, at: number): void {
    this.#at.set(`${token} ${place}`, at);
  }
}

/** Bounds of the logins before a start that `Logins` reads. */
export const RECENT = { within_ms: DAY_MS, most: MOST } as const;
