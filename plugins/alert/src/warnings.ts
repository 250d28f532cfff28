import type { Kernel } from '@svc/plugin-sdk';
import { type LoadedRules, NO_MONITORS } from './rules/loaded.ts';

/** Tells operators of rules that do not run although somebody wants them to. */
export function warnOfRules({ hooks }: Pick<Kernel, 'hooks'>, rules: LoadedRules): void {
  hooks.warnings.tap(async (found) => {
    for (const rule of rules.list()) {
      const isWanted = rule.enable || rule.slow_at !== null;
      const problem = isWanted ? rules.problem(rule) : null;
      // Without monitors nobody misses the default rules about them.
      const isIdle = problem === NO_MONITORS && rule.shipped !== null;
      if (problem !== null && !isIdle)
        found.push({
          kind: 'advice',
          message: `The alert rule '${rule.name}' does not run: ${problem}.`,
        });
    }
  });
}
