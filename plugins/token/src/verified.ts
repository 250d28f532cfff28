import { hash, randomBytes } from 'node:crypto';
import type { Secret } from './token.ts';

const GENERATION = 10_000;

/**
 * Credentials that were found right, by a digest keyed with this process: the clear text is kept nowhere.
 * Bounded: the least recently used go first, a generation at a time, so that a hit costs no bookkeeping.
 */
export class Verified {
  readonly #key = randomBytes(32).toString('hex');
  #young = new Map<string, Secret>();
  #old = new Map<string, Secret>();

  digest(text: string): string {
    return hash('sha256', this.#key + text, 'hex');
  }

  get(digest: string): Secret | undefined {
    const young = this.#young.get(digest);
    if (young) return young.live ? young : undefined;
    const old = this.#old.get(digest);
    if (!old?.live) return undefined;
    this.add(digest, old);
    return old;
  }

  add(digest: string, secret: Secret): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(digest, secret);
  }
}
