import { Standings } from '@svc/fair-turns';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import type { Refusals } from '../api.ts';
import { TOO_MANY_CALLS, type TokenRule, TokenRules } from './tokens.ts';
import { CallTurns } from './turns.ts';

/** Calls begin in fair turns and within the rates of their tokens; other pools learn what tokens count. */
export function tapCalls(
  kernel: Kernel<{ readonly tokens: readonly TokenRule[] }>,
  refusals: Refusals,
): void {
  const { clock, config, defer, hooks, provide } = kernel;
  const rules = new TokenRules(() => config.tokens, clock);
  provide(Standings, rules);
  const turns = new CallTurns((share) => rules.of(share));
  defer('turns of calls', () => turns.stop());
  hooks.turn.tap((origin, bytes) => turns.waits(origin, bytes));
  hooks.admitted.tap(({ address, caller }) => {
    try {
      rules.admit(caller);
    } catch (error) {
      const isRate = error instanceof RpcError && error.code === TOO_MANY_CALLS;
      if (isRate) refusals.refused('more calls than the rate of the token', address);
      throw error;
    }
  });
  hooks.reload.tap(() => rules.forget());
}
