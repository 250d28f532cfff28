import type { EgressClient } from '@svc/plugin-egress/api';
import type { Clock, Logger } from '@svc/plugin-sdk';

const EVERY_MS = 60_000;
const WAIT_MS = 10_000;
const TOLD_MS = 3_600_000;

export interface WatchdogParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly egress: EgressClient;
  /** Address that hears each minute that the alerts work; empty: none. */
  readonly url: () => string;
  readonly signal: AbortSignal;
  /** Stores something: where that fails, no alert could open. @throws RpcError 103 */
  readonly proves: () => Promise<void>;
}

/** Calls an address once a minute: whoever listens there notices when the server that judges alerts is gone. */
export class Watchdog {
  readonly #parts: WatchdogParts;
  #calledAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WatchdogParts) {
    this.#parts = parts;
  }

  /** Calls when a minute has passed; a failure is logged once an hour. Takes at most ten seconds. */
  async run(): Promise<void> {
    const { clock, egress, log, signal, url, proves } = this.#parts;
    const now = clock.monotonic();
    const address = url();
    if (address === '' || now - this.#calledAt < EVERY_MS) return;
    this.#calledAt = now;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
    const request = { url: address, method: 'GET', headers: [], redirect: 'follow' } as const;
    try {
      await proves();
      const { status, body } = await egress.request({ ...request, signal: timeout });
      body.destroy();
      if (status >= 400) throw new Error(`it answered ${status}`);
    } catch (error) {
      if (signal.aborted) return;
      const isFirst = now - this.#toldAt >= TOLD_MS;
      if (isFirst) this.#toldAt = now;
      log[isFirst ? 'warn' : 'debug']('the watchdog address could not be called', { error });
    }
  }
}
