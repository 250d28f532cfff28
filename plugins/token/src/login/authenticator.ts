import { countedAs } from '@svc/plugin-admission/api';
import type { Principal } from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';
import type { TokenRecord } from '../api.ts';
import { overloaded, type SlowHash, type SlowHasher } from '../passwords/slow-hash.ts';
import type { Lookups } from '../records/lookups.ts';
import { type Credential, malformed, matchesDigest, parseCredential } from './credential.ts';
import { Digests } from './digests.ts';
import type { LoginLocations } from './locations.ts';
import { LoginLog, type LoginLogDependencies } from './log.ts';
import type { PacedChecks } from './paced-checks.ts';
import { orRootRefusal, ROOT, superMissing } from './refusals.ts';
import type { Secret } from './secret.ts';
import type { Attempt, Throttle } from './throttle.ts';

/** Value that is available at once, except where a slow hash has to be computed. */
type MaybePromise<T> = T | Promise<T>;

export interface LoginDependencies extends LoginLogDependencies {
  readonly lookups: Pick<Lookups, 'load'>;
  readonly digests: Digests;
  readonly throttle: Throttle;
  readonly pacedChecks: PacedChecks;
  readonly locations: LoginLocations;
  readonly hasher: SlowHasher;
  readonly salt: string;
  /** Tells whether new passwords get a slow hash, so that refusals of unknown accounts take as long. */
  readonly isSlow: () => boolean;
  /** Called when a plain password hash matched: a slow one may replace it. */
  readonly onPlainPassword: (secret: Secret, password: string) => void;
}

/** Check of one credential. */
interface Check {
  readonly credential: Credential;
  readonly origin: Origin;
  /** Secret with this name; undefined: there is none. */
  readonly secret: Secret | undefined;
  readonly attempt: Attempt;
  /** State of the records when the check began. */
  readonly state: number;
  /** Tells whether the name logged in from this address before. */
  readonly isUsualLocation: boolean;
}

/** Authenticates credentials (auth.md §1, §2). Undefined is "invalid credentials". */
export class Authenticator {
  readonly #deps: LoginDependencies;
  readonly #log: LoginLog;
  /** Slow checks under way, by mode and digest: calls with one credential wait for one check. */
  readonly #pending = new Map<string, Promise<Secret | undefined>>();

  /** Digests of secrets and passwords alone, with a key of their own. */
  readonly #valueDigests = new Digests();
  #period = 0;

  constructor(deps: LoginDependencies) {
    this.#deps = deps;
    this.#log = new LoginLog(deps);
  }

  /** Starts a period in which locations are recorded anew, so that those in use do not expire; to be called some times a day. */
  startPeriod(): void {
    this.#period++;
  }

  /** Authenticates a credential. @throws RpcError 101 for text without separator, 102 without a Super Token record and for a wrong password of root */
  authenticate(credential: string, origin: Origin): MaybePromise<Principal | undefined> {
    const parsed = parseCredential(credential);
    if (!parsed) throw malformed();
    if (!this.#deps.records.super) throw superMissing();
    const verified = this.#verifiedBefore(parsed, origin);
    if (verified) return verified.principal;
    const loading = this.#loadToken(parsed, origin);
    const attempt = () => this.#report(this.#attempt(parsed, origin), parsed, origin);
    const found = loading ? loading.then(attempt) : attempt();
    if (parsed.mode !== 'account' || parsed.name !== ROOT) return found;
    return found instanceof Promise ? found.then(orRootRefusal) : orRootRefusal(found);
  }

  /** Authenticates HTTP Basic: token mode, then account mode (auth.md §9). */
  async basic(user: string, password: string, origin: Origin): Promise<Principal | undefined> {
    if (!this.#deps.records.super) throw superMissing();
    const asToken: Credential = { mode: 'token', name: user, secret: password };
    const asAccount: Credential = { ...asToken, mode: 'account' };
    const verified =
      this.#verifiedBefore(asToken, origin) ?? this.#verifiedBefore(asAccount, origin);
    if (verified) return verified.principal;
    await this.#loadToken(asToken, origin);
    const found = await this.#attempt(asToken, origin);
    if (!found) await this.#loadToken(asAccount, origin);
    const secret = found ?? (await this.#attempt(asAccount, origin));
    return this.#report(secret, asToken, origin);
  }

  /** Verifies a credential without throttle: for callers that hold the Super Token already. */
  async verify(credential: string): Promise<TokenRecord | undefined> {
    const parsed = parseCredential(credential);
    if (!parsed || isEmptyPassword(parsed)) return undefined;
    await this.#loadToken(parsed);
    return (await this.#verify(parsed, this.#secretOf(parsed), true))?.token;
  }

  /** Recognizes a credential that was verified before, by a digest. */
  #verifiedBefore(credential: Credential, origin: Origin): Secret | undefined {
    const secret = this.#secretOf(credential);
    const digest = secret?.verifiedDigest;
    if (!secret || digest === undefined || digest !== this.#digestOf(credential)) return undefined;
    if (secret.lastAddress !== origin.address || secret.recordedPeriod !== this.#period)
      this.#recordUse(secret, origin);
    return secret;
  }

  /** Loads the token of a name; undefined where it is cached. */
  #loadToken({ mode, name }: Credential, origin?: Origin): Promise<void> | undefined {
    const from = origin && countedAs(origin.address);
    return this.#deps.lookups.load(mode === 'token' ? 'key' : 'username', name, from);
  }

  #attempt(credential: Credential, origin: Origin): MaybePromise<Secret | undefined> {
    if (isEmptyPassword(credential)) return undefined;
    const { mode, name, secret: value } = credential;
    // The length separates a name from its value.
    const digest = this.#deps.digests.of(`\0${name.length} ${name}${value}`);
    const pending = this.#pending.get(`${mode} ${digest}`);
    if (pending) return pending;
    const check = this.#checkOf(credential, digest, origin);
    const { secret, attempt, state, isUsualLocation } = check;
    // Computed for every name, so that the time of an answer does not reveal which ones exist.
    const digestOfValue = this.#digestOf(credential);
    if (secret?.verifiedDigest === digestOfValue) return this.#accept(secret, check);
    const answer = this.#deps.throttle.decide(attempt, state);
    if (answer === 'yes' || (answer === 'busy' && isUsualLocation)) return this.#run(check);
    if (answer === 'busy') throw overloaded();
    if (answer === 'repeated' || !isUsualLocation || !secret) return undefined;
    if (secret.verifiedDigest !== undefined) return undefined;
    // Secrets are random, so that a check reveals nothing to a guesser.
    return credential.mode === 'token' ? this.#run(check) : this.#runPaced(secret, check);
  }

  #checkOf(credential: Credential, digest: string, origin: Origin): Check {
    const { digests, records, locations } = this.#deps;
    const { mode, name } = credential;
    const network = countedAs(origin.address);
    const isAccount = mode === 'account';
    const secret = this.#secretOf(credential);
    return {
      credential,
      origin,
      secret,
      attempt: {
        pair: digests.of(`\0${mode} ${network} ${name}`),
        name: isAccount ? digests.of(`\0name ${name}`) : undefined,
        address: isAccount ? digests.of(`\0address ${network}`) : undefined,
        credential: digest,
      },
      state: records.state,
      isUsualLocation:
        secret?.token.locations.has(locations.locationOf(mode, origin.address)) ?? false,
    };
  }

  #run(check: Check): MaybePromise<Secret | undefined> {
    const { credential, secret, isUsualLocation } = check;
    const found = this.#verify(credential, secret, isUsualLocation);
    return found instanceof Promise ? this.#finishLater(found, check) : this.#finish(found, check);
  }

  #runPaced(secret: Secret, check: Check): MaybePromise<Secret | undefined> {
    const turn = this.#deps.pacedChecks.run(secret, () => {
      // The check before it may have verified the value: guesses are refused at once then.
      if (secret.verifiedDigest === undefined) return this.#verify(check.credential, secret, true);
      return secret.verifiedDigest === this.#digestOf(check.credential) ? secret : undefined;
    });
    return turn && this.#finishLater(turn, check);
  }

  async #finishLater(verification: Promise<Secret | undefined>, check: Check) {
    const { attempt, credential } = check;
    const key = `${credential.mode} ${attempt.credential}`;
    const end = this.#deps.throttle.startCheck(attempt);
    this.#pending.set(key, verification);
    try {
      return this.#finish(await verification, check);
    } finally {
      end();
      this.#pending.delete(key);
    }
  }

  #finish(found: Secret | undefined, check: Check): Secret | undefined {
    if (found) return this.#accept(found, check);
    if (this.#deps.throttle.recordFailure(check.attempt, check.state)) this.#log.warn(check);
    return undefined;
  }

  #accept(found: Secret, { credential, origin }: Check): Secret {
    found.verifiedDigest ??= this.#digestOf(credential);
    const { onPlainPassword } = this.#deps;
    this.#recordUse(found, origin);
    if (found.mode === 'account' && found.hash instanceof Buffer) {
      onPlainPassword(found, credential.secret);
    }
    return found;
  }

  /** Returns the secret or password where the credential matches it. */
  #verify(
    { mode, secret: value }: Credential,
    secret: Secret | undefined,
    priority: boolean,
  ): MaybePromise<Secret | undefined> {
    const { hasher, salt, isSlow } = this.#deps;
    const hash = secret?.hash;
    if (isSlowHash(hash)) {
      const matching = hasher.matches(value, hash, priority);
      return matching.then((matches) => (matches && secret?.live ? secret : undefined));
    }
    if (matchesDigest(salt, value, hash)) return secret;
    if (mode === 'token' || !isSlow()) return undefined;
    return hasher.dummy(value, priority).then(() => undefined);
  }

  #secretOf({ mode, name }: Credential): Secret | undefined {
    const { records, sessions } = this.#deps;
    if (mode === 'account') return records.byUsername(name)?.password;
    return records.byKey(name)?.secret ?? sessions.byKey(name);
  }

  #digestOf({ secret }: Credential): string {
    return this.#valueDigests.of(secret);
  }

  #recordUse(secret: Secret, { address }: Origin): void {
    secret.onUse?.(address);
    if (secret.recordedPeriod !== this.#period) secret.recordedAddresses = undefined;
    secret.recordedPeriod = this.#period;
    secret.lastAddress = address;
    secret.recordedAddresses ??= new Set();
    if (secret.recordedAddresses.has(address) || secret.recordedAddresses.size >= MAX_ADDRESSES)
      return;
    secret.recordedAddresses.add(address);
    const { locations } = this.#deps;
    locations.recordLogin(secret.token, locations.locationOf(secret.mode, address));
  }

  /** Logs the result, and returns its principal. */
  #report(
    secret: MaybePromise<Secret | undefined>,
    credential: Credential,
    origin: Origin,
  ): MaybePromise<Principal | undefined> {
    if (secret instanceof Promise) {
      return secret.then((found) => this.#report(found, credential, origin));
    }
    if (secret) this.#log.accepted(secret);
    else this.#log.refused(credential, origin);
    return secret?.principal;
  }
}

/** Most addresses recorded of one token in one period: a whole fleet may share it. */
const MAX_ADDRESSES = 1_000;

const isSlowHash = (hash: Buffer | SlowHash | undefined): hash is SlowHash =>
  hash !== undefined && 'cost' in hash;

/** Tells whether the password is empty: invalid, even where an older version stored one. */
const isEmptyPassword = ({ mode, secret }: Credential): boolean =>
  mode === 'account' && secret === '';
