import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { UserError } from '@svc/plugin-sdk';

/** Costs of scrypt: some 0.3 s and 128 MB for one guess. */
const COSTS = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Bytes of a nonce of AES-GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** `salt nonce tag ciphertext`, encrypted with AES-256-GCM under a key that scrypt makes of the passphrase. */
export async function seal(content: Buffer, passphrase: string): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt), nonce);
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]);
}

/** @throws UserError for a wrong passphrase */
export async function unseal(sealed: Buffer, passphrase: string): Promise<Buffer> {
  const [salt, nonce, tag, content] = cut(sealed, [SALT_BYTES, NONCE_BYTES, TAG_BYTES]);
  const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, salt), nonce);
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(content), decipher.final()]);
  } catch (error) {
    throw new UserError(
      'the passphrase does not open the secrets of the backup; nothing was restored',
      {
        cause: error,
      },
    );
  }
}

const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, typeof COSTS, Buffer>(scrypt)(
    passphrase.normalize('NFC'),
    salt,
    KEY_BYTES,
    COSTS,
  );

function cut(bytes: Buffer, lengths: readonly [number, number, number]) {
  const [a, b, c] = lengths;
  const at = (from: number, to?: number) => bytes.subarray(from, to);
  return [at(0, a), at(a, a + b), at(a + b, a + b + c), at(a + b + c)] as const;
}
