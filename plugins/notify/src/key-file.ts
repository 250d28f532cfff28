import { createHash, randomBytes } from 'node:crypto';
import { UserError } from '@svc/plugin-sdk';
import { openSecretFile, readSecretFile } from '@svc/plugin-sdk/util';

const KEY_BYTES = 32;

/** Names a key without giving it away. */
export const fingerprintOf = (key: Buffer): string =>
  createHash('sha256').update('svc notify\n').update(key).digest('hex').slice(0, 32);

/** Returns the key of this file; undefined: there is no file. @throws UserError for another content */
export async function readKey(path: string): Promise<Buffer | undefined> {
  const text = await readSecretFile(path);
  return text === undefined ? undefined : keyIn(text, path);
}

/** Returns the key of this file, which is made where there is none. @throws UserError for another content */
export const openKey = async (path: string): Promise<Buffer> =>
  keyIn(await openSecretFile(path, freshText), path);

const freshText = () => `${randomBytes(KEY_BYTES).toString('base64')}\n`;

function keyIn(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new UserError(`${path} holds no key: ${KEY_BYTES} bytes in base64 are expected`);
}
