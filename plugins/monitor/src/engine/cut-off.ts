import { hostname } from 'node:os';
import type { Kernel } from '@svc/plugin-sdk';
import type { IsolatedStore } from '../store/isolated.ts';

const RENEW_MS = 20_000;

/** Says in the database, for all servers, that this one is cut off. */
export class CutOff {
  readonly #kernel: Pick<Kernel, 'bus' | 'clock' | 'log'>;
  readonly #store: IsolatedStore;
  /** Unix ms; undefined: it is connected. */
  #since: number | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;
  #isSaid = false;

  constructor(kernel: Pick<Kernel, 'bus' | 'clock' | 'log'>, store: IsolatedStore) {
    this.#kernel = kernel;
    this.#store = store;
  }

  /** Hears that this server was cut off, or is connected again. */
  set(isIsolated: boolean): void {
    const { clock, log } = this.#kernel;
    this.#since = isIsolated ? clock.now() : undefined;
    this.#saidAt = Number.NEGATIVE_INFINITY;
    if (isIsolated) log.warn('this server cannot reach the outside: its monitors are unknown');
    else log.info('this server reaches the outside again');
  }

  /** Writes what has to be written: each second. A server that checks nothing is not cut off. */
  async round(isChecking: boolean): Promise<void> {
    const { bus, clock, log } = this.#kernel;
    const since = isChecking ? this.#since : undefined;
    const now = clock.monotonic();
    const isDue = since === undefined ? this.#isSaid : now - this.#saidAt >= RENEW_MS;
    if (!isDue) return;
    try {
      if (since === undefined) await this.#store.remove(bus.id);
      else await this.#store.put(bus.id, { server: hostname(), since });
      this.#isSaid = since !== undefined;
      this.#saidAt = now;
    } catch (error) {
      log.error('it could not be stored whether this server is cut off; tried again', { error });
    }
  }

  /** Leaves nothing behind, before the server ends. */
  async end(): Promise<void> {
    await this.round(false);
  }
}
