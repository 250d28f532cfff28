import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Logger } from '@svc/plugin-sdk';
import { isOpenToOthers, openSecretFile, readSecretFile } from '@svc/plugin-sdk/util';

/** Signs checkpoints; its public half names the chain. */
export interface Key {
  /** DER (SPKI) in base64. */
  readonly publicKey: string;
  sign(text: string): string;
}

export const fingerprintOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex');

/** @param publicKey as `Key.publicKey` */
export function isSigned(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.from(publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
  } catch {
    // The text in the table is not a key any more.
    return false;
  }
}

const keyIn = (text: string): Key => keyOf(createPrivateKey(text));
const keyOf = (key: KeyObject): Key => ({
  publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
});

const textOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

/** Key of this file, if there is one. @throws Error for a file that holds none */
export async function readKey(path: string): Promise<Key | undefined> {
  const text = await readSecretFile(path);
  return text === undefined ? undefined : keyIn(text);
}

/** Reads the key, or creates it (0600). Where that is impossible it lives as long as this process, and `problem` says why. */
export async function openKey(
  path: string | undefined,
  log: Logger,
): Promise<{ readonly key: Key; readonly problem?: string }> {
  const fresh = generateKeyPairSync('ed25519').privateKey;
  if (path === undefined) return { key: keyOf(fresh) };
  try {
    const found = keyIn(await openSecretFile(path, () => textOf(fresh)));
    if (await isOpenToOthers(path))
      log.warn('others can read the key that signs the audit: chmod 600', { path });
    return { key: found };
  } catch (error) {
    const problem = `${path} can neither be read as a key nor written (${(error as Error).message})`;
    log.warn('the audit is signed with a key of this start only', { path, error });
    return { key: keyOf(fresh), problem };
  }
}
