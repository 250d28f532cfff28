import { type Logger, type Origin, type Principal, RpcError } from '@svc/plugin-sdk';
import { type Credential, malformed, matchesDigest, parseCredential } from './credential.ts';
import { ROLL } from './first.ts';
import { overloaded, type SlowHash, type SlowHasher } from './password.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { Throttle } from './throttle.ts';
import type { Secret, Token } from './token.ts';
import type { Verified } from './verified.ts';

/** An answer that is there at once, except where a slow hash has to be computed. */
type Soon<T> = T | Promise<T>;

export interface LoginParts {
  readonly records: Records;
  readonly verified: Verified;
  readonly throttle: Throttle;
  readonly hasher: SlowHasher;
  readonly salt: string;
  readonly log: Logger;
  readonly refusals: Refusals;
  /** A plain password hash was found right: it may be replaced by a slow one. */
  readonly onPlainPassword: (secret: Secret, password: string) => void;
}

/** From credential to principal (auth.md §1, §2). Undefined is "invalid credentials". */
export class Login {
  readonly #parts: LoginParts;
  /** Slow checks under way, by digest: calls with one credential wait for one check. */
  readonly #pending = new Map<string, Promise<Secret | undefined>>();

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 101 for text without separator, 102 without a Super Token record and for a wrong password of root */
  authenticate(credential: string, origin: Origin): Soon<Principal | undefined> {
    const { verified, records } = this.#parts;
    const digest = verified.digest(credential);
    const known = verified.get(digest);
    if (known && records.super) return known.token.principal;
    const parsed = parseCredential(credential);
    if (!parsed) throw malformed();
    if (!records.super) throw superMissing();
    const found = this.#told(this.#attempt(parsed, digest, origin), parsed, origin);
    if (parsed.mode !== 'account' || parsed.name !== ROOT) return found;
    return found instanceof Promise ? found.then(orWayOut) : orWayOut(found);
  }

  /** HTTP Basic: token mode, then account mode (auth.md §9). */
  async basic(user: string, password: string, origin: Origin): Promise<Principal | undefined> {
    const { verified, records } = this.#parts;
    // A zero character and the length keep these apart from credentials and from each other.
    const digest = verified.digest(`\0basic ${user.length} ${user}${password}`);
    const known = verified.get(digest);
    if (known && records.super) return known.token.principal;
    if (!records.super) throw superMissing();
    const asToken: Credential = { mode: 'token', name: user, secret: password };
    const found = await this.#attempt(asToken, digest, origin);
    const secret = found ?? (await this.#attempt({ ...asToken, mode: 'account' }, digest, origin));
    return this.#told(secret, asToken, origin);
  }

  /** The token behind a credential, not throttled: for callers that hold the Super Token already. */
  async verify(credential: string): Promise<Token | undefined> {
    const parsed = parseCredential(credential);
    return parsed && (await this.#check(parsed))?.token;
  }

  #attempt(credential: Credential, digest: string, origin: Origin): Soon<Secret | undefined> {
    const { verified, records, throttle, hasher } = this.#parts;
    const pending = this.#pending.get(`${credential.mode} ${digest}`);
    if (pending) return pending;
    const pair = verified.digest(`\0${credential.mode} ${origin.address} ${credential.name}`);
    const state = records.state;
    if (!throttle.admits(pair, digest, state)) return undefined;
    if (hasher.full && this.#isSlow(credential)) throw overloaded();
    const found = this.#check(credential);
    // Counted as failed until it is known to be right, so that parallel guesses count as well.
    if (found === undefined || found instanceof Promise) {
      if (throttle.failed(pair, digest, state)) this.#warn(credential, origin);
    }
    if (!(found instanceof Promise)) return this.#settle(found, credential, pair, digest);
    return this.#wait(found, credential, pair, digest);
  }

  async #wait(
    check: Promise<Secret | undefined>,
    credential: Credential,
    pair: string,
    digest: string,
  ) {
    const key = `${credential.mode} ${digest}`;
    this.#pending.set(key, check);
    try {
      return this.#settle(await check, credential, pair, digest);
    } catch (error) {
      this.#parts.throttle.forgive(pair, digest);
      throw error;
    } finally {
      this.#pending.delete(key);
    }
  }

  #settle(found: Secret | undefined, credential: Credential, pair: string, digest: string) {
    if (!found) return undefined;
    const { verified, throttle, onPlainPassword } = this.#parts;
    throttle.succeeded(pair);
    verified.add(digest, found);
    if (credential.mode === 'account' && found.hash instanceof Buffer) {
      onPlainPassword(found, credential.secret);
    }
    return found;
  }

  /** The secret or password that this credential states rightly. */
  #check({ mode, name, secret: value }: Credential): Soon<Secret | undefined> {
    const { records, hasher, salt } = this.#parts;
    const known =
      mode === 'token' ? records.byKey(name)?.secret : records.byUsername(name)?.password;
    const hash = known?.hash;
    if (isSlowHash(hash)) {
      return hasher
        .matches(value, hash)
        .then((right) => (right && known?.live ? known : undefined));
    }
    return matchesDigest(salt, value, hash) ? known : undefined;
  }

  #isSlow({ mode, name }: Credential): boolean {
    return mode === 'account' && isSlowHash(this.#parts.records.byUsername(name)?.password?.hash);
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
    const { log, refusals } = this.#parts;
    if (secret) log.debug('login accepted', { token_key: secret.token.key });
    else {
      const left_out = refusals.admit();
      if (left_out !== undefined)
        log.info('login refused', { ...this.#facts(credential, origin), left_out });
    }
    return secret?.token.principal;
  }

  #warn(credential: Credential, origin: Origin): void {
    const facts = this.#facts(credential, origin);
    this.#parts.log.warn('repeated wrong credentials, further attempts are delayed', facts);
  }

  /** Names a key or username only where it exists: anything else may be a mistyped secret. */
  #facts({ mode, name }: Credential, { address }: Origin) {
    const { records } = this.#parts;
    const token = mode === 'token' ? records.byKey(name) : records.byUsername(name);
    return { address, ...(token ? { token_key: token.key } : {}) };
  }
}

/** conventions.md §5.2: every check begins with the Super Token's record. */
export const superMissing = () =>
  RpcError.denied('Not found in database: Super Token record (ID 1) not found in cache');

const ROOT = 'root';

/** The name of root is no secret, so a refusal of its password may say what helps. */
function orWayOut(found: Principal | undefined): Principal {
  if (found) return found;
  const data = `wrong password of root; when it is lost: ${ROLL} -c FILE`;
  throw RpcError.denied('Invalid credentials', { data });
}

const isSlowHash = (hash: Buffer | SlowHash | undefined): hash is SlowHash =>
  hash !== undefined && 'cost' in hash;
