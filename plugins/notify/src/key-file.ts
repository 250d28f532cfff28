import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';

const KEY_BYTES = 32;
const OTHERS = 0o077;

/** Names a key without giving it away. */
export const fingerprintOf = (key: Buffer): string =>
  createHash('sha256').update('svc notify\n').update(key).digest('hex').slice(0, 32);

/** Returns the key of this file; undefined: there is no file. @throws UserError for another content */
export async function readKey(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new UserError(`${path} holds no key: ${KEY_BYTES} bytes in base64 are expected`);
}

/** Makes a key, readable for this user only. @throws Error of the system */
export async function makeKey(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${key.toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return key;
  } catch (error) {
    // Another process of this server was first.
    const found = codeOf(error) === 'EEXIST' ? await readKey(path) : undefined;
    if (found) return found;
    throw error;
  }
}

/** Tells whether others than the owner of the file can read it. */
export const isOpenToOthers = async (path: string): Promise<boolean> =>
  ((await stat(path)).mode & OTHERS) !== 0;
