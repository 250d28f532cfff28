import type { Clock } from '@svc/plugin-sdk';
import type { KeyStore } from '../store/keys.ts';
import type { MonitorStore } from '../store/monitors.ts';
import { Bucket } from './bucket.ts';

/** Look-ups of keys that this server does not know: together, and of addresses from which many wrong ones came. */
const ALL = { rate: 50, burst: 200 };
const CLOSED = { rate: 5, burst: 5 };

export interface KeyParts {
  readonly clock: Clock;
  readonly monitors: Pick<MonitorStore, 'byKeyHash'>;
  readonly store: Pick<KeyStore, 'all'>;
}

/**
 * Keys of all heartbeats, by their hashes, as this server read them last: a right one costs no look-up, whoever guesses
 * beside it. One that another server has just made is looked up.
 */
export class Keys {
  readonly #parts: KeyParts;
  readonly #all = new Bucket(ALL);
  readonly #closed = new Bucket(CLOSED);
  #known = new Set<string>();
  /** Those that were found since the reading that runs began. */
  #found = new Set<string>();

  constructor(parts: KeyParts) {
    this.#parts = parts;
  }

  /** Reads all again. @throws RpcError 103 */
  async read(): Promise<void> {
    this.#found = new Set();
    const read = new Set(await this.#parts.store.all());
    for (const hash of this.#found) read.add(hash);
    this.#known = read;
  }

  /**
   * Tells whether a heartbeat has this key. @returns `closed`: its address has to wait, `busy`: too many others are looked up
   * @throws RpcError 103
   */
  async isRight(hash: string, isClosed: boolean): Promise<boolean | 'closed' | 'busy'> {
    if (this.#known.has(hash)) return true;
    const { clock, monitors } = this.#parts;
    if (isClosed && !this.#closed.take(clock)) return 'closed';
    if (!this.#all.take(clock)) return 'busy';
    if ((await monitors.byKeyHash(hash))?.kind !== 'heartbeat') return false;
    for (const kept of [this.#known, this.#found]) kept.add(hash);
    return true;
  }

  /** Forgets a key that no heartbeat has any more. */
  forget(hash: string): void {
    for (const kept of [this.#known, this.#found]) kept.delete(hash);
  }
}
