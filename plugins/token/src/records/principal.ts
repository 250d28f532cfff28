import { getEventListeners } from 'node:events';
import type { Clock, Principal } from '@svc/plugin-sdk';
import type { Time, TokenRecord } from '../api.ts';

/** Longest delay of one timer: 2^31 - 1 ms. */
const MAX_DELAY_MS = 2_147_483_647;

/** Token as its principals, secrets and sessions see it. */
export interface Subject extends TokenRecord {
  readonly id: number;
  readonly super: boolean;
  /** Last millisecond of its validity; null: no end. */
  readonly validUntil: Time;
  readonly principal: TokenPrincipal;
  readonly sessions: Pick<Map<string, unknown>, 'delete'>;
  /** Locations of successful logins, with their times in Unix ms; the oldest first. */
  readonly locations: Map<string, number>;
  validity(): 'ok' | 'early' | 'late';
  /** Puts it back into the cache, which may have evicted it while it is still in use. */
  retain(): void;
}

/** Session that a call came with. */
export interface SessionReference {
  readonly key: string;
  /** Unix ms, inclusive. */
  readonly ends_at: number;
}

/**
 * Principal of a token or of one of its sessions. `ended` aborts on revocation and on expiry. The signal references the
 * principal, and thus the token: changes reach each token that is still referenced.
 */
export class TokenPrincipal implements Principal {
  readonly id: string;
  readonly super: boolean;
  /** Session of the call; undefined for the token's own secret or password. */
  readonly session: SessionReference | undefined;
  readonly #token: Subject;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  /** Principals of sessions: they end with this one. */
  readonly #children = new Set<TokenPrincipal>();
  #cancelTimer: (() => void) | undefined;
  #revoked = false;

  constructor(token: Subject, clock: Clock, session?: SessionReference) {
    this.id = token.key;
    this.super = token.super;
    this.session = session;
    this.#token = token;
    this.#clock = clock;
    Object.defineProperty(this.#end.signal, HOLDER, { value: this });
  }

  /** Signal of the end; its first use arms the timer of the expiry. */
  get ended(): AbortSignal {
    const { signal } = this.#end;
    if (!signal.aborted) {
      this.#token.retain();
      if (!this.#cancelTimer) this.#arm();
    }
    return signal;
  }

  get name(): string | undefined {
    return this.#token.username ?? undefined;
  }

  get token(): Subject {
    return this.#token;
  }

  /** Tells whether the credential was revoked; expiry leaves this false, because an expired token may read itself. */
  get revoked(): boolean {
    return this.#revoked;
  }

  /** Tells whether it has ended, by revocation or by expiry. */
  get hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Tells whether anybody listens for its end. */
  get hasListeners(): boolean {
    return getEventListeners(this.#end.signal, 'abort').length > 0;
  }

  /** Ends `principal` together with this one, at once where this one has ended. */
  addChild(principal: TokenPrincipal): void {
    if (this.hasEnded) principal.revoke();
    else this.#children.add(principal);
  }

  removeChild(principal: TokenPrincipal): void {
    this.#children.delete(principal);
  }

  revoke(): void {
    this.#revoked = true;
    this.#abort();
  }

  /** Sets the timer anew after a change of the validity. */
  rearm(): void {
    if (this.#cancelTimer) this.#arm();
  }

  /** Cancels the timer of the expiry. */
  disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Aborts in the millisecond after the last valid one, which may be further away than a timer reaches. */
  #arm(): void {
    this.disarm();
    const last = this.session ? this.session.ends_at : this.#token.validUntil;
    if (last === null) return;
    const left = Number(last) - this.#clock.now() + 1;
    if (left <= 0) this.#abort();
    else this.#cancelTimer = this.#clock.timeout(() => this.#arm(), Math.min(left, MAX_DELAY_MS));
  }

  #abort(): void {
    this.disarm();
    this.#end.abort();
    for (const principal of this.#children) principal.revoke();
    this.#children.clear();
  }
}

const HOLDER = Symbol('holder');
