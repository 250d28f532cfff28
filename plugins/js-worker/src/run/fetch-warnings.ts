import type { Clock, Logger } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';

/** Characters of the longest host name. */
const HOST_CHARS = 253;

/** Warns of fetches that were refused or failed: once a minute for each worker and host, so that a loop does not fill the log. */
export class FetchWarnings {
  readonly #log: Logger;
  readonly #warnings: Throttle;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#log = log;
    this.#warnings = new Throttle(clock);
  }

  /** Warns that a fetch of this worker failed. The path and the query of the address may hold credentials and are left out. */
  failed(worker: string, url: string, error: Error): void {
    const host = URL.canParse(url) ? new URL(url).host.slice(0, HOST_CHARS) : '';
    const suppressed = this.#warnings.pass(JSON.stringify([worker, host]));
    if (suppressed === undefined) return;
    const reason = String(error.cause ?? error.message);
    this.#log.warn('a fetch of a script failed', {
      worker,
      host,
      reason,
      since_last: suppressed + 1,
    });
  }
}
