import { type Clock, type Principal, RpcError } from '@svc/plugin-sdk';
import { digestBytes } from '../login/credential.ts';
import type { Secret } from '../login/secret.ts';
import { type SessionReference, type Subject, TokenPrincipal } from '../records/principal.ts';
import type { FoundSession, SessionUse } from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A short-lived credential with the rights that its token has at each moment. */
export class Session implements Secret {
  readonly mode = 'token';
  readonly token: Subject;
  readonly row: FoundSession;
  readonly stored: string;
  readonly hash: Buffer | undefined;
  verifiedDigest?: string;
  lastAddress?: string;
  recordedAddresses?: Set<string> | undefined;
  recordedPeriod?: number;
  warnedAt?: number;
  readonly #clock: Clock;
  readonly #onUse: (use: SessionUse) => void;
  #lastUse: SessionUse;
  #hasEnded = false;
  #principal: TokenPrincipal | undefined;
  /** Principal of the token, at the time of `#principal`. */
  #tokenPrincipal: TokenPrincipal | undefined;

  /** `onUse`: called with address and time of a use, at most once a minute. */
  constructor(row: FoundSession, token: Subject, clock: Clock, onUse: (use: SessionUse) => void) {
    this.row = row;
    this.token = token;
    this.stored = row.session_hash;
    this.hash = digestBytes(row.session_hash);
    this.#clock = clock;
    this.#onUse = onUse;
    this.#lastUse = row;
  }

  get key(): string {
    return this.row.session_key;
  }

  /** Unix ms, inclusive. */
  get ends_at(): number {
    return this.row.ends_at;
  }

  get live(): boolean {
    const { matchesStamp, ends_at } = this.row;
    if (this.#hasEnded || !matchesStamp || this.#clock.now() > ends_at) return false;
    return this.token.validity() === 'ok';
  }

  /** Principal that ends with the session, and with that of the token. */
  get principal(): TokenPrincipal {
    const tokenPrincipal = this.token.principal;
    if (this.#principal && this.#tokenPrincipal === tokenPrincipal) return this.#principal;
    this.#principal?.revoke();
    this.#tokenPrincipal?.removeChild(this.#principal as TokenPrincipal);
    const principal = new TokenPrincipal(this.token, this.#clock, this);
    tokenPrincipal.addChild(principal);
    this.#principal = principal;
    this.#tokenPrincipal = tokenPrincipal;
    return principal;
  }

  onUse(used_from: string): void {
    const used_at = this.#clock.now();
    const since = used_at - this.#lastUse.used_at;
    const isElsewhere = used_from !== this.#lastUse.used_from;
    const isFirst = this.#lastUse.used_from === '';
    if (!isFirst && since < (isElsewhere ? MINUTE_MS : HOUR_MS)) return;
    this.#lastUse = { session_key: this.key, used_at, used_from };
    this.#onUse(this.#lastUse);
  }

  /** Existing principal, if any. */
  get currentPrincipal(): TokenPrincipal | undefined {
    return this.#principal;
  }

  end(): void {
    this.#hasEnded = true;
    this.#principal?.revoke();
    if (this.#principal) this.#tokenPrincipal?.removeChild(this.#principal);
  }
}

/** Session of a call; undefined where it came with the token or password itself. */
export const sessionOf = (caller: Principal): SessionReference | undefined =>
  caller instanceof TokenPrincipal ? caller.session : undefined;

/** Denies a session changes of the credential that it stems from. @throws RpcError 102 */
export function denySession(caller: Principal, token_id: number): void {
  if (!(caller instanceof TokenPrincipal) || !caller.session || caller.token.id !== token_id)
    return;
  throw RpcError.denied(
    'A session cannot change the secret or password that it stems from: give that one, not a session',
  );
}
