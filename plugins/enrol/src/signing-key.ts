import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Logger, RpcError, UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';

/** File next to the configuration, under a name that no setting changes. */
const NAME = 'signing.key';
const BLOCK = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----/g;

/** A key that signs what machines get. */
export interface SigningKey {
  /** DER (SPKI) in base64. */
  readonly publicKey: string;
  sign(text: string): string;
}

/** Path of the file with the private keys, PEM (PKCS #8): the first one signs, the others were used before and sign, too. */
export const keyFile = (configuration: string): string => join(dirname(configuration), NAME);

/** `sha256//BASE64` of the key's DER, in the form of pins of certificates. */
export const fingerprintOf = (publicKey: string): string =>
  `sha256//${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('base64')}`;

const keyOf = (key: KeyObject): SigningKey => ({
  publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
});

/** The blocks of a text, each once. @throws UserError where one is no Ed25519 key, or there is none */
export function blocksOf(text: string, path: string): string[] {
  const blocks = [...new Set(text.match(BLOCK) ?? [])];
  const isGood = blocks.length > 0 && blocks.every((block) => typeOf(block) === 'ed25519');
  if (!isGood) throw new UserError(`${path} does not hold Ed25519 keys in PEM (PKCS #8)`);
  return blocks;
}

function typeOf(block: string): string | undefined {
  try {
    return createPrivateKey(block).asymmetricKeyType;
  } catch {
    // It has the frame of a key, but no key inside.
    return undefined;
  }
}

export const keysOf = (blocks: readonly string[]): SigningKey[] =>
  blocks.map((block) => keyOf(createPrivateKey(block)));

/** @returns undefined: there is no such file. @throws UserError for one without keys */
export async function readBlocks(path: string): Promise<string[] | undefined> {
  try {
    return blocksOf(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const freshBlock = (): string =>
  String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })).trim();

const textOf = (blocks: readonly string[]): string => blocks.map((block) => `${block}\n`).join('');

/** Replaces the file in one step (0600). */
export async function writeBlocks(path: string, blocks: readonly string[]): Promise<void> {
  const half = await halfOf(path, blocks);
  await rename(half, path).catch(async (error) => {
    await rm(half, { force: true });
    throw error;
  });
}

async function halfOf(path: string, blocks: readonly string[]): Promise<string> {
  const half = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(half, textOf(blocks), { mode: 0o600, flag: 'wx', flush: true });
  return half;
}

/** Makes the file with a fresh key, unless another process is first. */
async function make(path: string): Promise<void> {
  const half = await halfOf(path, [freshBlock()]);
  try {
    await link(half, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(half, { force: true });
  }
}

/** The keys of a server. A changed file is read again, so that commands need no restart. */
export class SigningKeys {
  readonly #path: () => string;
  readonly #log: Logger;
  #read: { readonly state: string; readonly keys: readonly SigningKey[] } | undefined;

  constructor(path: () => string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Returns all keys; the first use makes them. @throws RpcError 999 where the file can neither be read nor made */
  async all(): Promise<readonly SigningKey[]> {
    const path = this.#path();
    try {
      if (!(await statOf(path))) await make(path);
      return await this.#keysOf(path);
    } catch (error) {
      this.#log.error('the key that signs what machines are given can neither be read nor made', {
        path,
        error,
      });
      throw RpcError.other(
        'the key that signs what machines are given can neither be read nor made: the log says why',
      );
    }
  }

  async #keysOf(path: string): Promise<readonly SigningKey[]> {
    const facts = await statOf(path);
    const state = `${facts?.ino} ${facts?.size} ${facts?.mtimeMs}`;
    if (this.#read?.state === state) return this.#read.keys;
    if (facts && (facts.mode & 0o077) !== 0)
      this.#log.warn('others can read the key that signs the agent: chmod 600', { path });
    const keys = keysOf((await readBlocks(path)) ?? []);
    this.#read = { state, keys };
    return keys;
  }

  /** Fingerprint of the key that signs. */
  async fingerprint(): Promise<string> {
    const [key] = await this.all();
    return fingerprintOf(key?.publicKey ?? '');
  }
}

const statOf = (path: string) =>
  stat(path).catch((error) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
