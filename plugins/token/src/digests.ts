import { hash, randomBytes } from 'node:crypto';

/** Digests keyed with this process: what was found right, or wrong, is known again without keeping its clear text. */
export class Digests {
  readonly #key = randomBytes(32).toString('hex');

  of(text: string): string {
    return hash('sha256', this.#key + text, 'hex');
  }
}
