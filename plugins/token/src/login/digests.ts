import { hash, randomBytes } from 'node:crypto';

/** Digests keyed with this process: they recognize verified and wrong credentials without their clear text. */
export class Digests {
  /** Key so short that it and a secret fit one block of the digest: each call computes one. */
  readonly #key = randomBytes(16).toString('base64url');

  of(text: string): string {
    return hash('sha256', this.#key + text, 'hex');
  }
}
