import { Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import type { Clock, Kernel } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { TokenConfig } from './config.ts';
import { registerTokens, TokenHoldings } from './holdings/index.ts';
import { HoldingStore } from './holdings/store.ts';
import { Authenticator } from './login/authenticator.ts';
import { hashOf } from './login/credential.ts';
import { Digests } from './login/digests.ts';
import { LoginLocations } from './login/locations.ts';
import { PacedChecks } from './login/paced-checks.ts';
import { LocationStore } from './login/store-locations.ts';
import { Throttle } from './login/throttle.ts';
import type { PasswordPolicy } from './passwords/policy.ts';
import { SlowHasher } from './passwords/slow-hash.ts';
import { PasswordUpgrade } from './passwords/upgrade.ts';
import { Records } from './records/cache.ts';
import { Lookups } from './records/lookups.ts';
import { Refresh } from './records/refresh.ts';
import { TokenStore } from './records/store.ts';
import { TokenReads } from './records/store-reads.ts';
import { GrantPool } from './rights/grants.ts';
import { TokenOwners } from './rights/owners.ts';
import { Vocabulary } from './rights/vocabulary.ts';
import { ActiveSessions } from './sessions/active.ts';
import { TokenPasses } from './sessions/passes.ts';
import { SessionStore } from './sessions/store.ts';
import { PassStore } from './sessions/store-passes.ts';

/** Components of the plugin, connected to each other. */
export interface Components {
  readonly store: TokenStore;
  readonly reads: TokenReads;
  /** Reads records that are not in memory. */
  readonly lookups: Lookups;
  readonly vocabulary: Vocabulary;
  readonly records: Records;
  readonly refresh: Refresh;
  readonly login: Authenticator;
  readonly locations: LoginLocations;
  readonly sessions: ActiveSessions;
  readonly sessionStore: SessionStore;
  readonly passes: TokenPasses;
  readonly clock: Clock;
  readonly owners: TokenOwners;
  readonly upgrade: PasswordUpgrade;
  readonly holdings: TokenHoldings;
  readonly holdingStore: HoldingStore;
  /** Largest answer, bytes. */
  maxBytes(): number;
  /** Configured bounds of sessions. */
  sessionLimits(): Pick<TokenConfig, 'session_hours' | 'max_session_hours' | 'max_sessions'>;
  /** Configured policy for new passwords. */
  passwordPolicy(): PasswordPolicy;
  /** Stored form of a secret. */
  hashSecret(secret: string): string;
  /** Stored form of a password, by the configured kind. */
  hashPassword(password: string): Promise<string>;
}

export function createComponents(kernel: Kernel<TokenConfig>): Components {
  const { brand, clock, config, log } = kernel;
  const tables = createRecords(kernel);
  const hasher = new SlowHasher();
  const isSlow = () => config.password_kdf === 'scrypt';
  const upgrade = new PasswordUpgrade({ ...tables, kernel, hasher, log, isEnabled: isSlow });
  const hashSecret = (secret: string) => hashOf(brand.salt, secret);
  const store = new PassStore(kernel.db);
  return {
    ...tables,
    upgrade,
    login: createLogin(kernel, { ...tables, hasher, isSlow, upgrade }),
    passes: new TokenPasses({ ...tables, store, clock, salt: brand.salt, hashSecret }),
    clock,
    ...createHoldings(kernel),
    maxBytes: () => kernel.server.maxResponseBytes(),
    sessionLimits: () => config,
    passwordPolicy: () => config.password_policy,
    hashSecret,
    hashPassword: async (password) => (isSlow() ? hasher.hash(password) : hashSecret(password)),
  };
}

function createHoldings({ db, config }: Kernel<TokenConfig>) {
  const holdingStore = new HoldingStore(db);
  const holdings = new TokenHoldings(holdingStore, db);
  registerTokens(holdings, config);
  return { holdings, holdingStore };
}

/** Creates the stores and the caches above them. */
function createRecords(kernel: Kernel<TokenConfig>) {
  const { db, clock, log, system } = kernel;
  const [store, reads, sessionStore] = [
    new TokenStore(db),
    new TokenReads(db),
    new SessionStore(db),
  ];
  const memory = createCaches(kernel, sessionStore);
  const { records, suspendsDependents } = memory;
  const turns = new SerialQueue();
  const lookups = new Lookups({ ...memory, reads, sessionStore, turns });
  const owners = new TokenOwners({
    store,
    reads,
    records,
    lookups,
    system,
    suspendsDependents,
    log,
  });
  const refresh = new Refresh({
    ...memory,
    store,
    sessionStore,
    lookups,
    messaging: kernel,
    clock,
    log: log.target('token_cache'),
    turns,
    onDeleted: (key) => owners.suspend(key),
    onTableChange: () => owners.forgetDeleted(),
    onRightsChange: (key) => kernel.auth.changed(key),
  });
  return { ...memory, store, reads, sessionStore, lookups, owners, refresh };
}

function createCaches(kernel: Kernel<TokenConfig>, store: SessionStore) {
  const { db, brand, clock, config, log } = kernel;
  const vocabulary = new Vocabulary(brand.permission);
  const suspendsDependents = () => config.on_delete === 'suspend';
  const sessions = new ActiveSessions({ store, clock, log });
  const records = new Records({
    vocabulary,
    grants: new GrantPool(vocabulary),
    clock,
    reportProblem: (id, problem) =>
      log.target('token_cache').warn('a stored token limit cannot be read', { id, problem }),
    suspendsDependents,
    onCached: (token) => sessions.onCached(token),
    onEvicted: (token) => sessions.onEvicted(token),
  });
  const locations = new LoginLocations({
    store: new LocationStore(db),
    tokenOf: records.alive,
    messaging: kernel,
    clock,
    salt: brand.salt,
    log,
  });
  return { vocabulary, suspendsDependents, records, sessions, locations };
}

/** Components that the authenticator uses. */
interface LoginServices
  extends Pick<Components, 'records' | 'sessions' | 'lookups' | 'locations' | 'upgrade'> {
  readonly hasher: SlowHasher;
  readonly isSlow: () => boolean;
}

function createLogin(kernel: Kernel<TokenConfig>, services: LoginServices): Authenticator {
  const { brand, clock, log } = kernel;
  const { records, sessions, lookups, locations, hasher, isSlow, upgrade } = services;
  const reason = 'wrong credential';
  return new Authenticator({
    records,
    sessions,
    lookups,
    locations,
    hasher,
    isSlow,
    clock,
    digests: new Digests(),
    throttle: new Throttle(clock),
    pacedChecks: new PacedChecks(clock),
    salt: brand.salt,
    log: log.target('auth'),
    onRefused(origin, key) {
      kernel.useOptional(Audit)?.refused(key, origin);
      return kernel.useOptional(Refusals)?.refused(reason, origin.address) ?? false;
    },
    onPlainPassword: (secret, password) => upgrade.schedule(secret, password),
  });
}
