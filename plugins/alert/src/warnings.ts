import type { Kernel } from '@svc/plugin-sdk';
import type { LoadedRules } from './rules/loaded.ts';

/** Tells operators of rules that are on and do not run. */
export function warnOfRules({ hooks }: Pick<Kernel, 'hooks'>, rules: LoadedRules): void {
  hooks.warnings.tap(async (found) => {
    for (const rule of rules.list()) {
      const problem = rule.enable ? rules.problem(rule) : null;
      if (problem !== null)
        found.push({
          kind: 'advice',
          message: `The alert rule '${rule.name}' does not run: ${problem}.`,
        });
    }
  });
}
