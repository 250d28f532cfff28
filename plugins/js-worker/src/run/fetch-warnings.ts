import type { Clock, Logger } from '@svc/plugin-sdk';

const PERIOD_MS = 60_000;
/** Pairs of worker and host within one period; what is beyond counts as one. */
const MOST_PAIRS = 1_000;
/** Characters of the longest host name. */
const HOST_CHARS = 253;

interface Warning {
  /** Unix ms of the warning. */
  readonly at: number;
  /** Failures since then. */
  more: number;
}

/** Warns of fetches that were refused or failed: once a minute for each worker and host, so that a loop does not fill the log. */
export class FetchWarnings {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The oldest warning first. */
  readonly #warnings = new Map<string, Warning>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Warns that a fetch of this worker failed. The path and the query of the address may hold credentials and are left out. */
  failed(worker: string, url: string, error: Error): void {
    const now = this.#clock.now();
    const host = URL.canParse(url) ? new URL(url).host.slice(0, HOST_CHARS) : '';
    const key = this.#keyOf(worker, host, now);
    const warning = this.#warnings.get(key);
    if (warning && now - warning.at < PERIOD_MS) {
      warning.more++;
      return;
    }
    this.#warnings.delete(key);
    this.#warnings.set(key, { at: now, more: 0 });
    const reason = String(error.cause ?? error.message);
    const since_last = (warning?.more ?? 0) + 1;
    this.#log.warn('a fetch of a script failed', { worker, host, reason, since_last });
  }

  /** Returns the key of the pair, or the one for all that are beyond. */
  #keyOf(worker: string, host: string, now: number): string {
    const pair = JSON.stringify([worker, host]);
    if (this.#warnings.has(pair)) return pair;
    if (this.#warnings.size >= MOST_PAIRS) this.#forget(now);
    return this.#warnings.size < MOST_PAIRS ? pair : '';
  }

  #forget(now: number): void {
    for (const [key, { at }] of this.#warnings) {
      if (now - at < PERIOD_MS) return;
      this.#warnings.delete(key);
    }
  }
}
