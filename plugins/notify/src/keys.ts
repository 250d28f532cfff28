import { dirname, resolve } from 'node:path';
import { ConfigurationFile, type Kernel, RpcError } from '@svc/plugin-sdk';
import { isOpenToOthers } from '@svc/plugin-sdk/util';
import type { Config } from './config.ts';
import { fingerprintOf, openKey, readKey } from './key-file.ts';
import type { StateStore } from './store/state.ts';

/** Path of the key: beside the configuration unless it is absolute. */
export function keyPath({ config, useOptional }: Pick<Kernel<Config>, 'config' | 'useOptional'>) {
  const file = useOptional(ConfigurationFile)?.path;
  return file === undefined ? resolve(config.key_file) : resolve(dirname(file), config.key_file);
}

/** Compares the key of the file with that of the database. @returns what is wrong; undefined: nothing */
export async function keyProblem(path: string, store: StateStore): Promise<string | undefined> {
  const known = await store.fingerprint();
  const key = await readKey(path);
  if (known === null || (key && known === fingerprintOf(key))) return undefined;
  if (!(await store.isKeyUsed())) return undefined;
  return key ? otherText(path) : missingText(path);
}

const COPY =
  'copy the file from a server that sends, or from a backup (--with-secrets), and restart; where it is lost, delete the channels and empty the monitors that have secrets, restart and write them again';
const missingText = (path: string) =>
  `${path} is missing, so this server sends no messages: ${COPY}`;
const otherText = (path: string) =>
  `${path} is another key than the one that sealed the secrets of the database, so this server sends no messages: ${COPY}`;

const NOT_READ = 'the key of the secrets is not read yet';

/** Key of the secrets of this server. A server whose key differs from that of the database has none. */
export class Keys {
  readonly #path: string;
  readonly #store: StateStore;
  #key: Buffer | undefined;
  #problem: string | undefined = NOT_READ;

  constructor(path: string, store: StateStore) {
    this.#path = path;
    this.#store = store;
  }

  /** Reason why this server has no key; undefined: it has. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The problem that was found when the key was read; a server that only looks (`doctor`) has not read it. */
  get fault(): string | undefined {
    return this.#problem === NOT_READ ? undefined : this.#problem;
  }

  /** The key. @throws RpcError 107 */
  get key(): Buffer {
    if (this.#key) return this.#key;
    throw RpcError.config(this.#problem ?? 'the key of the secrets is missing');
  }

  /** Compares the key of the file with that of the database. @returns what is wrong; undefined: nothing @throws UserError for a file that holds no key */
  look(): Promise<string | undefined> {
    return keyProblem(this.#path, this.#store);
  }

  /** Tells whether the database still remembers this key. @throws RpcError 103 */
  async isKnown(): Promise<boolean> {
    if (!this.#key || (await this.#store.fingerprint()) === fingerprintOf(this.#key)) return true;
    this.#key = undefined;
    this.#problem = otherText(this.#path);
    return false;
  }

  /** Reads the key, or makes it where the database knows none, and has the database remember it. @returns a warning */
  async open(): Promise<string | undefined> {
    try {
      this.#problem = await keyProblem(this.#path, this.#store);
      if (this.#problem !== undefined) return this.#problem;
      const key = await openKey(this.#path);
      if (!(await this.#store.claim(fingerprintOf(key)))) {
        this.#problem = otherText(this.#path);
        return this.#problem;
      }
      this.#key = key;
      if (!(await isOpenToOthers(this.#path))) return undefined;
      return `others can read the key of the secrets: chmod 600 ${this.#path}`;
    } catch (error) {
      if (error instanceof RpcError) throw error;
      this.#problem = `${this.#path} can neither be read as a key nor written (${(error as Error).message}), so this server sends no messages: make the folder writable, or name another file in [notify] key_file`;
      return this.#problem;
    }
  }
}
