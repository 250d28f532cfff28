import { BoundedCache } from '@svc/plugin-sdk';

const DAY_MS = 86_400_000;
/** What is evicted has a row again when it comes back. */
const MOST = 20_000;

/** Where tokens came from within a day: a page that is loaded again, or the next call of a script, is no login. */
export class Logins {
  /** Unix ms of the row, by token and place. */
  readonly #at = new BoundedCache<string, number>({ most: MOST });

  /** True: no row of the day before `now` (Unix ms) tells of this place. A row of the future is of a clock that was wrong. */
  isNew(token: string, place: string, now: number): boolean {
    const at = this.#at.get(`${token} ${place}`);
    return at === undefined || at > now || now - at >= DAY_MS;
  }

  /** To be called for what got a row of its own, at this time (Unix ms). */
  recorded(token: string, place: string, at: number): void {
    this.#at.set(`${token} ${place}`, at);
  }
}

/** What `Logins` has to know of the time before a start. */
export const RECENT = { within_ms: DAY_MS, most: MOST } as const;
