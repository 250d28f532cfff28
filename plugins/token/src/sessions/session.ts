import { type Clock, type Principal, RpcError } from '@svc/plugin-sdk';
import { digestBytes } from '../login/credential.ts';
import type { Secret } from '../login/secret.ts';
import { type SessionReference, type Subject, TokenPrincipal } from '../records/principal.ts';
import type { FoundSession, Use } from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A short-lived credential with the rights that its token has at each moment. */
export class Session implements Secret {
  readonly mode = 'token';
  readonly token: Subject;
  readonly row: FoundSession;
  readonly stored: string;
  readonly hash: Buffer | undefined;
  right?: string;
  from?: string;
  noted?: Set<string> | undefined;
  period?: number;
  warnedAt?: number;
  readonly #clock: Clock;
  readonly #used: (use: Use) => void;
  #use: Use;
  #isOver = false;
  #principal: TokenPrincipal | undefined;
  /** Of the token, at the time of `#principal`. */
  #above: TokenPrincipal | undefined;

  /** `used`: hears where and when it is used, at most once a minute. */
  constructor(row: FoundSession, token: Subject, clock: Clock, used: (use: Use) => void) {
    this.row = row;
    this.token = token;
    this.stored = row.session_hash;
    this.hash = digestBytes(row.session_hash);
    this.#clock = clock;
    this.#used = used;
    this.#use = row;
  }

  get key(): string {
    return this.row.session_key;
  }

  /** Unix ms, inclusive. */
  get ends_at(): number {
    return this.row.ends_at;
  }

  get live(): boolean {
    const { fits, ends_at } = this.row;
    if (this.#isOver || !fits || this.#clock.now() > ends_at) return false;
    return this.token.validity() === 'ok';
  }

  /** Ends with the session, and with whatever ends that of the token. */
  get principal(): TokenPrincipal {
    const above = this.token.principal;
    if (this.#principal && this.#above === above) return this.#principal;
    this.#principal?.revoke();
    this.#above?.takeBack(this.#principal as TokenPrincipal);
    const principal = new TokenPrincipal(this.token, this.#clock, this);
    above.lend(principal);
    this.#principal = principal;
    this.#above = above;
    return principal;
  }

  saw(used_from: string): void {
    const used_at = this.#clock.now();
    const since = used_at - this.#use.used_at;
    const isElsewhere = used_from !== this.#use.used_from;
    const isFirst = this.#use.used_from === '';
    if (!isFirst && since < (isElsewhere ? MINUTE_MS : HOUR_MS)) return;
    this.#use = { session_key: this.key, used_at, used_from };
    this.#used(this.#use);
  }

  /** Its caller, where there was one. */
  get known(): TokenPrincipal | undefined {
    return this.#principal;
  }

  end(): void {
    this.#isOver = true;
    this.#principal?.revoke();
    if (this.#principal) this.#above?.takeBack(this.#principal);
  }
}

/** The session that a call came with; undefined where it came with the token or password itself. */
export const sessionOf = (caller: Principal): SessionReference | undefined =>
  caller instanceof TokenPrincipal ? caller.session : undefined;

/** A session gives nobody the credential that it stems from. @throws RpcError 102 */
export function refuseSession(caller: Principal, token_id: number): void {
  if (!(caller instanceof TokenPrincipal) || !caller.session || caller.token.id !== token_id)
    return;
  throw RpcError.denied(
    'A session cannot change the secret or password that it stems from: give that one, not a session',
  );
}
