import { hash, randomBytes } from 'node:crypto';

/** Digests keyed with this process: what was found right, or wrong, is known again without keeping its clear text. */
export class Digests {
  /** So short that it and a secret are one block of the digest, which every call takes. */
  readonly #key = randomBytes(16).toString('base64url');

  of(text: string): string {
    return hash('sha256', this.#key + text, 'hex');
  }
}
