import type { Clock, Logger, Origin, Principal } from '@svc/plugin-sdk';
import type { TokenRecord } from '../api.ts';
import { overloaded, type SlowHash, type SlowHasher } from '../passwords/slow-hash.ts';
import type { Records } from '../records/cache.ts';
import type { Lookups } from '../records/lookups.ts';
import type { Sessions } from '../sessions/active.ts';
import { type Credential, malformed, matchesDigest, parseCredential } from './credential.ts';
import { Digests } from './digests.ts';
import type { Places } from './locations.ts';
import { networkOf } from './network.ts';
import type { Lanes } from './paced-checks.ts';
import { orWayOut, ROOT, superMissing } from './refusals.ts';
import type { Secret } from './secret.ts';
import type { Attempt, Throttle } from './throttle.ts';

/** An answer that is there at once, except where a slow hash has to be computed. */
type Soon<T> = T | Promise<T>;

export interface LoginParts {
  readonly records: Records;
  readonly sessions: Pick<Sessions, 'byKey'>;
  readonly lookups: Pick<Lookups, 'find'>;
  readonly digests: Digests;
  readonly throttle: Throttle;
  readonly lanes: Lanes;
  readonly places: Places;
  readonly hasher: SlowHasher;
  readonly salt: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** New passwords are stored slow, so a refusal takes as long whether or not there is such an account. */
  readonly isSlow: () => boolean;
  /** Counts a refused login; `key` where there is such a token. @returns true when the log is to hear of it */
  readonly refused: (origin: Origin, key: string | undefined) => boolean;
  /** A plain password hash was found right: it may be replaced by a slow one. */
  readonly onPlainPassword: (secret: Secret, password: string) => void;
}

/** What the log may say of a login. */
interface Facts {
  readonly [name: string]: unknown;
  readonly address: string;
  readonly token_key?: string;
}

/** One look at a credential. */
interface Look {
  readonly credential: Credential;
  readonly origin: Origin;
  /** What it may prove; undefined: there is no such name. */
  readonly secret: Secret | undefined;
  readonly attempt: Attempt;
  /** Of the records when the look began. */
  readonly state: number;
  /** The name logged in from this address before. */
  readonly isAtHome: boolean;
}

/** From credential to principal (auth.md §1, §2). Undefined is "invalid credentials". */
export class Login {
  readonly #parts: LoginParts;
  /** Slow checks under way, by mode and digest: calls with one credential wait for one check. */
  readonly #pending = new Map<string, Promise<Secret | undefined>>();

  /** Of secrets and passwords alone, with a key of their own. */
  readonly #rights = new Digests();
  #period = 0;

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /** To be called some times a day: places of logins are noted again, so that those in use are not forgotten. */
  noteAgain(): void {
    this.#period++;
  }

  /** @throws RpcError 101 for text without separator, 102 without a Super Token record and for a wrong password of root */
  authenticate(credential: string, origin: Origin): Soon<Principal | undefined> {
    const parsed = parseCredential(credential);
    if (!parsed) throw malformed();
    if (!this.#parts.records.super) throw superMissing();
    const known = this.#known(parsed, origin);
    if (known) return known.principal;
    const looked = this.#find(parsed, origin);
    const tried = () => this.#told(this.#attempt(parsed, origin), parsed, origin);
    const found = looked ? looked.then(tried) : tried();
    if (parsed.mode !== 'account' || parsed.name !== ROOT) return found;
    return found instanceof Promise ? found.then(orWayOut) : orWayOut(found);
  }

  /** HTTP Basic: token mode, then account mode (auth.md §9). */
  async basic(user: string, password: string, origin: Origin): Promise<Principal | undefined> {
    if (!this.#parts.records.super) throw superMissing();
    const asToken: Credential = { mode: 'token', name: user, secret: password };
    const asAccount: Credential = { ...asToken, mode: 'account' };
    const known = this.#known(asToken, origin) ?? this.#known(asAccount, origin);
    if (known) return known.principal;
    await this.#find(asToken, origin);
    const found = await this.#attempt(asToken, origin);
    if (!found) await this.#find(asAccount, origin);
    const secret = found ?? (await this.#attempt(asAccount, origin));
    return this.#told(secret, asToken, origin);
  }

  /** The token behind a credential, not throttled: for callers that hold the Super Token already. */
  async verify(credential: string): Promise<TokenRecord | undefined> {
    const parsed = parseCredential(credential);
    if (!parsed || isEmptyPassword(parsed)) return undefined;
    await this.#find(parsed);
    return (await this.#check(parsed, this.#secretOf(parsed), true))?.token;
  }

  /** What was found right before is known again by a digest. */
  #known(credential: Credential, origin: Origin): Secret | undefined {
    const secret = this.#secretOf(credential);
    if (secret?.right === undefined || secret.right !== this.#right(credential)) return undefined;
    if (secret.from !== origin.address || secret.period !== this.#period)
      this.#note(secret, origin);
    return secret;
  }

  /** undefined where memory knows what it has to. */
  #find({ mode, name }: Credential, origin?: Origin): Promise<void> | undefined {
    const from = origin && networkOf(origin.address);
    return this.#parts.lookups.find(mode === 'token' ? 'key' : 'username', name, from);
  }

  #attempt(credential: Credential, origin: Origin): Soon<Secret | undefined> {
    if (isEmptyPassword(credential)) return undefined;
    const { mode, name, secret: value } = credential;
    // The length keeps a name and its value apart.
    const digest = this.#parts.digests.of(`\0${name.length} ${name}${value}`);
    const pending = this.#pending.get(`${mode} ${digest}`);
    if (pending) return pending;
    const look = this.#lookOf(credential, digest, origin);
    const { secret, attempt, state, isAtHome } = look;
    // Asked of every name, so that the time of an answer does not tell which ones there are.
    const right = this.#right(credential);
    if (secret?.right === right) return this.#settle(secret, look);
    const answer = this.#parts.throttle.admits(attempt, state);
    if (answer === 'yes' || (answer === 'busy' && isAtHome)) return this.#look(look);
    if (answer === 'busy') throw overloaded();
    if (answer === 'repeated' || !isAtHome || !secret || secret.right !== undefined) {
      return undefined;
    }
    // Secrets are random, so that a look tells a guesser nothing.
    return credential.mode === 'token' ? this.#look(look) : this.#inLane(secret, look);
  }

  #lookOf(credential: Credential, digest: string, origin: Origin): Look {
    const { digests, records, places } = this.#parts;
    const { mode, name } = credential;
    const network = networkOf(origin.address);
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
      isAtHome: secret?.token.places.has(places.placeOf(mode, origin.address)) ?? false,
    };
  }

  #look(look: Look): Soon<Secret | undefined> {
    const { credential, secret, isAtHome } = look;
    const found = this.#check(credential, secret, isAtHome);
    return found instanceof Promise ? this.#wait(found, look) : this.#done(found, look);
  }

  #inLane(secret: Secret, look: Look): Soon<Secret | undefined> {
    const turn = this.#parts.lanes.run(secret, () => {
      // The one before it may have shown the right value: guesses wait no longer then.
      if (secret.right === undefined) return this.#check(look.credential, secret, true);
      return secret.right === this.#right(look.credential) ? secret : undefined;
    });
    return turn && this.#wait(turn, look);
  }

  async #wait(check: Promise<Secret | undefined>, look: Look) {
    const { attempt, credential } = look;
    const key = `${credential.mode} ${attempt.credential}`;
    const end = this.#parts.throttle.begin(attempt);
    this.#pending.set(key, check);
    try {
      return this.#done(await check, look);
    } finally {
      end();
      this.#pending.delete(key);
    }
  }

  #done(found: Secret | undefined, look: Look): Secret | undefined {
    if (found) return this.#settle(found, look);
    if (this.#parts.throttle.failed(look.attempt, look.state)) this.#warn(look);
    return undefined;
  }

  #settle(found: Secret, { credential, origin }: Look): Secret {
    found.right ??= this.#right(credential);
    const { onPlainPassword } = this.#parts;
    this.#note(found, origin);
    if (found.mode === 'account' && found.hash instanceof Buffer) {
      onPlainPassword(found, credential.secret);
    }
    return found;
  }

  /** The secret or password that this credential states rightly. */
  #check(
    { mode, secret: value }: Credential,
    known: Secret | undefined,
    first: boolean,
  ): Soon<Secret | undefined> {
    const { hasher, salt, isSlow } = this.#parts;
    const hash = known?.hash;
    if (isSlowHash(hash)) {
      const right = hasher.matches(value, hash, first);
      return right.then((is) => (is && known?.live ? known : undefined));
    }
    if (matchesDigest(salt, value, hash)) return known;
    if (mode === 'token' || !isSlow()) return undefined;
    return hasher.dummy(value, first).then(() => undefined);
  }

  #secretOf({ mode, name }: Credential): Secret | undefined {
    const { records, sessions } = this.#parts;
    if (mode === 'account') return records.byUsername(name)?.password;
    return records.byKey(name)?.secret ?? sessions.byKey(name);
  }

  #right({ secret }: Credential): string {
    return this.#rights.of(secret);
  }

  #note(secret: Secret, { address }: Origin): void {
    secret.saw?.(address);
    if (secret.period !== this.#period) secret.noted = undefined;
    secret.period = this.#period;
    secret.from = address;
    secret.noted ??= new Set();
    if (secret.noted.has(address) || secret.noted.size >= CROWD) return;
    secret.noted.add(address);
    const { places } = this.#parts;
    places.saw(secret.token, places.placeOf(secret.mode, address));
  }

  /** The principal, told to the log: refused agents try again a thousand times a second, so refusals are counted. */
  #told(
    secret: Soon<Secret | undefined>,
    credential: Credential,
    origin: Origin,
  ): Soon<Principal | undefined> {
    if (secret instanceof Promise) {
      return secret.then((found) => this.#told(found, credential, origin));
    }
    const { log, refused } = this.#parts;
    if (secret) log.debug('login accepted', { token_key: secret.token.key });
    else {
      const facts = this.#facts(credential, origin);
      if (refused(origin, facts.token_key)) log.info('login refused', facts);
    }
    return secret?.principal;
  }

  /** Once a minute for each name that exists; attacks at others are told by their addresses. */
  #warn({ secret, credential, origin }: Look): void {
    const now = this.#parts.clock.monotonic();
    if (!secret || now - (secret.warnedAt ?? -WARN_MS) < WARN_MS) return;
    secret.warnedAt = now;
    const facts = this.#facts(credential, origin);
    this.#parts.log.warn('repeated wrong credentials, further attempts are delayed', facts);
  }

  /** Names a key or username only where it exists: anything else may be a mistyped secret. */
  #facts({ mode, name }: Credential, { address }: Origin): Facts {
    const { records, sessions } = this.#parts;
    const owner = () => records.byKey(name) ?? sessions.byKey(name)?.token;
    const token = mode === 'token' ? owner() : records.byUsername(name);
    return { address, ...(token ? { token_key: token.key } : {}) };
  }
}

const WARN_MS = 60_000;
/** Addresses that are noted of one token in one period: a whole fleet may share it. */
const CROWD = 1_000;

const isSlowHash = (hash: Buffer | SlowHash | undefined): hash is SlowHash =>
  hash !== undefined && 'cost' in hash;

/** Never right, also where an older version stored one. */
const isEmptyPassword = ({ mode, secret }: Credential): boolean =>
  mode === 'account' && secret === '';
