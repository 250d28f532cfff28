import type { Clock, Principal } from '@svc/plugin-sdk';
import type { Token } from './token.ts';

/** Longest delay of one timer: 2^31 - 1 ms. */
const LONGEST_DELAY_MS = 2_147_483_647;

/** The caller behind a token. `ended` aborts on revocation and on expiry. */
export class TokenPrincipal implements Principal {
  readonly id: string;
  readonly super: boolean;
  readonly ended: AbortSignal;
  readonly #token: Token;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #cancel: (() => void) | undefined;
  #revoked = false;

  constructor(token: Token, clock: Clock) {
    this.id = token.key;
    this.super = token.super;
    this.#token = token;
    this.#clock = clock;
    this.ended = this.#end.signal;
    this.watchExpiry();
  }

  get name(): string | undefined {
    return this.#token.username ?? undefined;
  }

  get token(): Token {
    return this.#token;
  }

  /** True when the credential was taken away; mere expiry leaves this false, an expired token may read itself. */
  get revoked(): boolean {
    return this.#revoked;
  }

  revoke(): void {
    this.#revoked = true;
    this.#stop();
  }

  /** Aborts in the millisecond after `timestamp_to`, which may be further away than a timer reaches. */
  watchExpiry(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { timestamp_to, super: isSuper } = this.#token;
    if (timestamp_to === null || isSuper || this.ended.aborted) return;
    const left = Number(timestamp_to) - this.#clock.now() + 1;
    if (left <= 0) this.#stop();
    else
      this.#cancel = this.#clock.timeout(
        () => this.watchExpiry(),
        Math.min(left, LONGEST_DELAY_MS),
      );
  }

  #stop(): void {
    this.#cancel?.();
    this.#end.abort();
  }
}
