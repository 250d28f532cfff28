import { Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import type { Clock, Kernel } from '@svc/plugin-sdk';
import type { TokenConfig } from './config.ts';
import { registerTokens, TokenHoldings } from './holdings/index.ts';
import { HoldingStore } from './holdings/store.ts';
import { Login } from './login/authenticator.ts';
import { hashOf } from './login/credential.ts';
import { Digests } from './login/digests.ts';
import { Places } from './login/locations.ts';
import { Lanes } from './login/paced-checks.ts';
import { PlaceStore } from './login/store-locations.ts';
import { Throttle } from './login/throttle.ts';
import type { PasswordPolicy } from './passwords/policy.ts';
import { SlowHasher } from './passwords/slow-hash.ts';
import { PasswordUpgrade } from './passwords/upgrade.ts';
import { Records } from './records/cache.ts';
import { Lookups } from './records/lookups.ts';
import { Refresh } from './records/refresh.ts';
import { TokenStore } from './records/store.ts';
import { TokenReads } from './records/store-reads.ts';
import { Turns } from './records/turns.ts';
import { GrantPool } from './rights/grants.ts';
import { TokenOwners } from './rights/owners.ts';
import { Vocabulary } from './rights/vocabulary.ts';
import { Sessions } from './sessions/active.ts';
import { TokenPasses } from './sessions/passes.ts';
import { SessionStore } from './sessions/store.ts';
import { PassStore } from './sessions/store-passes.ts';

/** Everything the plugin is made of, wired together. */
export interface Parts {
  readonly store: TokenStore;
  readonly reads: TokenReads;
  /** Reads records that are not in memory. */
  readonly lookups: Lookups;
  readonly vocabulary: Vocabulary;
  readonly records: Records;
  readonly refresh: Refresh;
  readonly login: Login;
  readonly places: Places;
  readonly sessions: Sessions;
  readonly sessionStore: SessionStore;
  readonly passes: TokenPasses;
  readonly clock: Clock;
  readonly owners: TokenOwners;
  readonly upgrade: PasswordUpgrade;
  readonly holdings: TokenHoldings;
  readonly holdingStore: HoldingStore;
  /** What an answer may have, bytes. */
  maxBytes(): number;
  /** How long and how many sessions may be. */
  sessionLimits(): Pick<TokenConfig, 'session_hours' | 'max_session_hours' | 'max_sessions'>;
  /** What new passwords must be. */
  passwordPolicy(): PasswordPolicy;
  /** The stored form of a secret. */
  hashSecret(secret: string): string;
  /** The stored form of a password, by the configured kind. */
  hashPassword(password: string): Promise<string>;
}

export function createParts(kernel: Kernel<TokenConfig>): Parts {
  const { brand, clock, config, log } = kernel;
  const recorded = createRecords(kernel);
  const hasher = new SlowHasher();
  const isSlow = () => config.password_kdf === 'scrypt';
  const upgrade = new PasswordUpgrade({ ...recorded, kernel, hasher, log, isWanted: isSlow });
  const hashSecret = (secret: string) => hashOf(brand.salt, secret);
  const keeping = { hasher, isSlow, upgrade };
  const store = new PassStore(kernel.db);
  return {
    ...recorded,
    upgrade,
    login: createLogin(kernel, { ...recorded, ...keeping }),
    passes: new TokenPasses({ ...recorded, store, clock, salt: brand.salt, hashSecret }),
    clock,
    ...createHoldings(kernel),
    maxBytes: () => kernel.server.maxResponseBytes(),
    sessionLimits: () => config,
    passwordPolicy: () => config.password_policy,
    hashSecret,
    hashPassword: async (password) => (isSlow() ? hasher.make(password) : hashSecret(password)),
  };
}

function createHoldings({ db, config }: Kernel<TokenConfig>) {
  const holdingStore = new HoldingStore(db);
  const holdings = new TokenHoldings(holdingStore, db);
  registerTokens(holdings, config);
  return { holdings, holdingStore };
}

/** The tables, and what is in memory of them. */
function createRecords(kernel: Kernel<TokenConfig>) {
  const { db, clock, log, system } = kernel;
  const [store, reads, sessionStore] = [
    new TokenStore(db),
    new TokenReads(db),
    new SessionStore(db),
  ];
  const memory = createMemory(kernel, sessionStore);
  const { records, suspends } = memory;
  const turns = new Turns();
  const lookups = new Lookups({ ...memory, reads, sessionStore, turns });
  const owners = new TokenOwners({ store, reads, records, lookups, system, suspends, log });
  const refresh = new Refresh({
    ...memory,
    store,
    sessionStore,
    lookups,
    messaging: kernel,
    clock,
    log: log.target('token_cache'),
    turns,
    gone: (key) => owners.suspend(key),
    changed: () => owners.forget(),
    rightsChanged: (key) => kernel.auth.changed(key),
  });
  return { ...memory, store, reads, sessionStore, lookups, owners, refresh };
}

function createMemory(kernel: Kernel<TokenConfig>, store: SessionStore) {
  const { db, brand, clock, config, log } = kernel;
  const vocabulary = new Vocabulary(brand.permission);
  const suspends = () => config.on_delete === 'suspend';
  const sessions = new Sessions({ store, clock, log });
  const records = new Records({
    vocabulary,
    grants: new GrantPool(vocabulary),
    clock,
    complain: (id, problem) =>
      log.target('token_cache').warn('a stored token limit cannot be read', { id, problem }),
    suspends,
    came: (token) => sessions.came(token),
    left: (token) => sessions.left(token),
  });
  const places = new Places({
    store: new PlaceStore(db),
    tokenOf: records.alive,
    messaging: kernel,
    clock,
    salt: brand.salt,
    log,
  });
  return { vocabulary, suspends, records, sessions, places };
}

/** What a login looks at. */
interface Keeping extends Pick<Parts, 'records' | 'sessions' | 'lookups' | 'places' | 'upgrade'> {
  readonly hasher: SlowHasher;
  readonly isSlow: () => boolean;
}

function createLogin(kernel: Kernel<TokenConfig>, keeping: Keeping): Login {
  const { brand, clock, log } = kernel;
  const { records, sessions, lookups, places, hasher, isSlow, upgrade } = keeping;
  const reason = 'wrong credential';
  return new Login({
    records,
    sessions,
    lookups,
    places,
    hasher,
    isSlow,
    clock,
    digests: new Digests(),
    throttle: new Throttle(clock),
    lanes: new Lanes(clock),
    salt: brand.salt,
    log: log.target('auth'),
    refused(origin, key) {
      kernel.useOptional(Audit)?.refused(key, origin);
      return kernel.useOptional(Refusals)?.refused(reason, origin.address) ?? false;
    },
    onPlainPassword: (secret, password) => upgrade.offer(secret, password),
  });
}
