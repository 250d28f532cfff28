const DAY_MS = 86_400_000;
/** Of more, the oldest is forgotten: it has a row again when it comes back. */
const MOST = 20_000;

/** Where tokens came from within a day: a page that is loaded again, or the next call of a script, is no login. */
export class Logins {
  /** Unix ms of the row, by token and address; the oldest first. */
  readonly #at = new Map<string, number>();

  /** True: this one gets a row, at this time (Unix ms). */
  isNew(token: string, address: string, now: number): boolean {
    const kind = `${token} ${address}`;
    const at = this.#at.get(kind);
    if (at !== undefined && now - at < DAY_MS) return false;
    this.#at.delete(kind);
    this.#at.set(kind, now);
    const [oldest = kind] = this.#at.keys();
    if (this.#at.size > MOST) this.#at.delete(oldest);
    return true;
  }
}

/** What `Logins` has to know of the time before a start. */
export const RECENT = { within_ms: DAY_MS, most: MOST } as const;
