import { getEventListeners } from 'node:events';
import type { Clock, Principal } from '@svc/plugin-sdk';
import type { Time, TokenRecord } from '../api.ts';

/** Longest delay of one timer: 2^31 - 1 ms. */
const LONGEST_DELAY_MS = 2_147_483_647;

/** Token as its principals, secrets and sessions see it. */
export interface Subject extends TokenRecord {
  readonly id: number;
  readonly super: boolean;
  /** Last millisecond of its validity; null: no end. */
  readonly lasts: Time;
  readonly principal: TokenPrincipal;
  readonly sessions: Pick<Map<string, unknown>, 'delete'>;
  /** From where it has logged in, and when, Unix ms; the oldest first. */
  readonly places: Map<string, number>;
  validity(): 'ok' | 'early' | 'late';
  /** Somebody uses it at this moment, after the cache may have let it go. */
  keep(): void;
}

/** Session that a call came with. */
export interface SessionReference {
  readonly key: string;
  /** Unix ms, inclusive. */
  readonly ends_at: number;
}

/**
 * The caller behind a token or a session of it. `ended` aborts on revocation and on expiry. Who holds the signal holds
 * the token with it: changes reach whatever somebody still holds.
 */
export class TokenPrincipal implements Principal {
  readonly id: string;
  readonly super: boolean;
  /** What the call came with, where that is no credential of the token itself. */
  readonly session: SessionReference | undefined;
  readonly #token: Subject;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  /** Callers of sessions: they end with this one. */
  readonly #lent = new Set<TokenPrincipal>();
  #cancel: (() => void) | undefined;
  #revoked = false;

  constructor(token: Subject, clock: Clock, session?: SessionReference) {
    this.id = token.key;
    this.super = token.super;
    this.session = session;
    this.#token = token;
    this.#clock = clock;
    Object.defineProperty(this.#end.signal, HOLDER, { value: this });
  }

  /** From the first look on, the end of the validity is watched for. */
  get ended(): AbortSignal {
    const { signal } = this.#end;
    if (!signal.aborted) {
      this.#token.keep();
      if (!this.#cancel) this.#watchExpiry();
    }
    return signal;
  }

  get name(): string | undefined {
    return this.#token.username ?? undefined;
  }

  get token(): Subject {
    return this.#token;
  }

  /** True when the credential was taken away; mere expiry leaves this false, an expired token may read itself. */
  get revoked(): boolean {
    return this.#revoked;
  }

  /** It has ended, by revocation or by expiry. */
  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** Somebody waits for its end. */
  get isWatched(): boolean {
    return getEventListeners(this.#end.signal, 'abort').length > 0;
  }

  /** `principal` ends with this one, at once where this one has ended. */
  lend(principal: TokenPrincipal): void {
    if (this.isOver) principal.revoke();
    else this.#lent.add(principal);
  }

  takeBack(principal: TokenPrincipal): void {
    this.#lent.delete(principal);
  }

  revoke(): void {
    this.#revoked = true;
    this.#stop();
  }

  /** The end of its validity has changed. */
  rearm(): void {
    if (this.#cancel) this.#watchExpiry();
  }

  /** Nobody waits for its end any more. */
  rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Aborts in the millisecond after the last one, which may be further away than a timer reaches. */
  #watchExpiry(): void {
    this.rest();
    const last = this.session ? this.session.ends_at : this.#token.lasts;
    if (last === null) return;
    const left = Number(last) - this.#clock.now() + 1;
    if (left <= 0) this.#stop();
    else
      this.#cancel = this.#clock.timeout(
        () => this.#watchExpiry(),
        Math.min(left, LONGEST_DELAY_MS),
      );
  }

  #stop(): void {
    this.rest();
    this.#end.abort();
    for (const principal of this.#lent) principal.revoke();
    this.#lent.clear();
  }
}

const HOLDER = Symbol('holder');
