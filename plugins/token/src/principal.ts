import type { Clock, Principal } from '@svc/plugin-sdk';
import type { Session } from './session.ts';
import type { Token } from './token.ts';

/** Longest delay of one timer: 2^31 - 1 ms. */
const LONGEST_DELAY_MS = 2_147_483_647;

/** The caller behind a token or a session of it. `ended` aborts on revocation and on expiry. */
export class TokenPrincipal implements Principal {
  readonly id: string;
  readonly super: boolean;
  readonly ended: AbortSignal;
  /** What the call came with, where that is no credential of the token itself. */
  readonly session: Session | undefined;
  readonly #token: Token;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #cancel: (() => void) | undefined;
  #revoked = false;

  constructor(token: Token, clock: Clock, session?: Session) {
    this.id = token.key;
    this.super = token.super;
    this.session = session;
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

  /** Aborts in the millisecond after the last one, which may be further away than a timer reaches. */
  watchExpiry(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const last = this.session ? this.session.ends_at : this.#token.lasts;
    if (last === null || this.ended.aborted) return;
    const left = Number(last) - this.#clock.now() + 1;
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
