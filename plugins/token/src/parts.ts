import type { Kernel } from '@svc/plugin-sdk';
import { hashOf } from './credential.ts';
import { GrantPool } from './grants.ts';
import { Login } from './login.ts';
import { TokenOwners } from './owners.ts';
import { changeOfForm, SlowHasher } from './password.ts';
import { Records } from './records.ts';
import { Refresh } from './refresh.ts';
import { Refusals } from './refusals.ts';
import { TokenStore } from './store.ts';
import { Throttle } from './throttle.ts';
import type { Secret } from './token.ts';
import { Verified } from './verified.ts';
import { Vocabulary } from './vocabulary.ts';

/** The section `[token]`. */
export interface TokenConfig {
  readonly password_kdf: 'sha256' | 'scrypt';
  readonly on_delete: 'keep' | 'suspend';
}

/** Everything the plugin is made of, wired together. */
export interface Parts {
  readonly store: TokenStore;
  readonly vocabulary: Vocabulary;
  readonly records: Records;
  readonly refresh: Refresh;
  readonly login: Login;
  readonly owners: TokenOwners;
  /** The stored form of a secret. */
  hashSecret(secret: string): string;
  /** The stored form of a password, by the configured kind. */
  hashPassword(password: string): Promise<string>;
}

export function createParts(kernel: Kernel<TokenConfig>): Parts {
  const { db, brand, clock, config, log } = kernel;
  const store = new TokenStore(db);
  const vocabulary = new Vocabulary(brand.permission);
  const cacheLog = log.target('token_cache');
  const complain = (id: number, problem: string) =>
    cacheLog.warn('a stored token limit cannot be read', { id, problem });
  const suspends = () => config.on_delete === 'suspend';
  const grants = new GrantPool(vocabulary);
  const left = (key: string) => owners.suspend(key);
  const records = new Records({ vocabulary, grants, clock, complain, suspends, left });
  const owners = new TokenOwners({ records, system: kernel.system, suspends, log });
  const refresh = new Refresh({ store, records, messaging: kernel, clock, log: cacheLog });
  const hasher = new SlowHasher();
  const hashSecret = (secret: string) => hashOf(brand.salt, secret);
  const upgrade = (secret: Secret, password: string): void => {
    if (config.password_kdf !== 'scrypt' || hasher.full) return;
    const { id } = secret.token;
    upgradePassword({ store, refresh, hasher }, secret, password).catch((error) =>
      log.warn('a password hash could not be upgraded', { id, error }),
    );
  };
  const login = new Login({
    records,
    verified: new Verified(),
    throttle: new Throttle(clock),
    hasher,
    salt: brand.salt,
    log: log.target('auth'),
    refusals: new Refusals(clock),
    onPlainPassword: upgrade,
  });
  return {
    store,
    vocabulary,
    records,
    refresh,
    login,
    owners,
    hashSecret,
    hashPassword: async (password) =>
      config.password_kdf === 'scrypt' ? hasher.make(password) : hashSecret(password),
  };
}

/** The password was just found right: its hash is replaced by a slow one, sessions go on (auth.md §2). */
async function upgradePassword(
  { store, refresh, hasher }: Pick<Parts, 'store' | 'refresh'> & { hasher: SlowHasher },
  secret: Secret,
  password: string,
): Promise<void> {
  const { token, stored } = secret;
  const { id } = token;
  const slow = await hasher.make(password);
  secret.becoming ??= slow;
  if (await store.upgradePassword(id, stored, secret.becoming)) {
    await refresh.changed({ id, samePassword: changeOfForm(stored, secret.becoming) });
  }
}
