import type { Clock } from '@svc/plugin-sdk';
import type { SigningKey, SigningKeys } from './signing-key.ts';

/** The form that agents and installers check (agent/src/signed/manifest.ts). Those before 0.9 skip lines that they do not know. */
const HEAD = 'svc-manifest 1';

/**
 * The signed text: `lines` between the form and the time, then the key that signs, then a signature of each key. `made` is
 * Unix ms.
 */
export function signedText(
  lines: readonly string[],
  made: number,
  keys: readonly SigningKey[],
): string {
  const [first] = keys;
  if (!first) throw new Error('there is no key to sign with');
  const signed = [HEAD, ...lines, `made ${made}`, `key ${first.publicKey}`, ''].join('\n');
  const signatures = keys.map((key) => `signature ${key.publicKey} ${key.sign(signed)}\n`);
  return signed + signatures.join('');
}

/** Signs what a server gives machines. The same parts keep their time of signing for as long as the server runs. */
export class Signer {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  #last:
    | { readonly lines: string; readonly keys: readonly SigningKey[]; readonly text: string }
    | undefined;

  constructor(keys: SigningKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** @param lines as `agent VERSION SHA256 BYTES` */
  async sign(lines: readonly string[]): Promise<string> {
    const keys = await this.#keys.all();
    const joined = lines.join('\n');
    if (this.#last?.lines === joined && this.#last.keys === keys) return this.#last.text;
    const text = signedText(lines, this.#clock.now(), keys);
    this.#last = { lines: joined, keys, text };
    return text;
  }
}
