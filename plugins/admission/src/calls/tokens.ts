import { equal, type Standing } from '@svc/fair-turns';
import { type Clock, type Principal, RpcError, type Static, Type } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';

/** Tokens whose rules and calls are remembered; beyond, the least used are looked up anew. */
const REMEMBERED = 10_000;
/** Too many calls of a token. */
export const TOO_MANY_CALLS = -32005;

/** One entry of `[[admission.tokens]]`. */
const TokenRule = Type.Object({
  // A key names a token, and is no secret.
  token: Type.String({
    secret: false,
    description: 'Key of a token; a trailing * stands for any ending.',
  }),
  weight: Type.Number({
    minimum: 0.01,
    maximum: 100,
    default: 1,
    description: 'What the token gets beside others where they want more than there is.',
  }),
  part: Type.Number({
    minimum: 0.01,
    maximum: 1,
    default: 1,
    description: 'Part of the threads, processes and connections that the token may hold.',
  }),
  calls_per_second: Type.Number({
    minimum: 0,
    default: 0,
    description: 'Calls of the token, over all connections; 0: no limit.',
  }),
  burst: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Calls that the token may make at once; 0: those of one second.',
  }),
});
export type TokenRule = Static<typeof TokenRule>;

/** Keys of the section `[admission]`. */
export const tokenKeys = {
  tokens: Type.Array(TokenRule, {
    default: [],
    description:
      'What tokens get, and how many calls they may make; the first entry that matches counts.',
  }),
};

interface TokenState extends Standing {
  readonly per_second: number;
  readonly burst: number;
  /** Calls that the token may make now, as of `at`. */
  calls: number;
  /** ms of the machine's monotonic clock. */
  at: number;
}

/** Rules of the configuration for each token: the first entry that matches counts. */
export class TokenRules {
  readonly #rules: () => readonly TokenRule[];
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #states = new BoundedCache<string, TokenState>({ most: REMEMBERED });

  constructor(rules: () => readonly TokenRule[], clock: Pick<Clock, 'monotonic'>) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Forgets the rules that were read, after a reload. */
  forget(): void {
    this.#states.clear();
  }

  of(share: string): Standing {
    // Without a share the server works for itself.
    return share === '' || this.#rules().length === 0 ? equal() : this.#stateOf(share);
  }

  /** Counts one call. @throws RpcError -32005 with `retry_after_ms` in `data` */
  admit({ id, super: isSuper }: Principal): void {
    if (this.#rules().length === 0 || isSuper || id === '') return;
    const state = this.#stateOf(id);
    if (state.per_second === 0) return;
    const now = this.#clock.monotonic();
    const more = ((now - state.at) * state.per_second) / 1_000;
    state.calls = Math.min(state.burst, state.calls + more);
    state.at = now;
    if (state.calls < 1) {
      const retry_after_ms = Math.ceil(((1 - state.calls) * 1_000) / state.per_second);
      const data = { retry_after_ms };
      throw new RpcError(TOO_MANY_CALLS, 'Too many calls of this token', { data });
    }
    state.calls--;
  }

  #stateOf(share: string): TokenState {
    const state = this.#states.get(share);
    if (state) return state;
    const rule = this.#rules().find(({ token }) => covers(token, share));
    const per_second = rule?.calls_per_second ?? 0;
    const burst = Math.max(1, rule?.burst || per_second);
    const { weight, part } = rule ?? equal();
    const created = { weight, part, per_second, burst, calls: burst, at: this.#clock.monotonic() };
    this.#states.set(share, created);
    return created;
  }
}

const covers = (pattern: string, key: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
