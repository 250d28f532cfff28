import type { Condition } from '@svc/conditions';
import type { LoadedRule } from '../types.ts';

/** Time that evaluations for one call may take together. */
export class Budget {
  #left_ms: number;

  constructor(ms: number) {
    this.#left_ms = ms;
  }

  get isSpent(): boolean {
    return this.#left_ms <= 0;
  }

  take(ms: number): void {
    this.#left_ms -= ms;
  }
}

/** Returns a condition that has no verdict any more once the budget is spent. */
export function metered(condition: Condition, budget: Budget): Condition {
  const { text, variables, windows, comparison, comparisons } = condition;
  return {
    ...{ text, variables, windows, comparison, comparisons },
    evaluate(values, window) {
      if (budget.isSpent) return undefined;
      const began = performance.now();
      try {
        return condition.evaluate(values, window);
      } finally {
        budget.take(performance.now() - began);
      }
    },
  };
}

/** Returns a rule whose conditions share a budget. */
export const meteredRule = (
  { rule, condition, clear }: LoadedRule,
  budget: Budget,
): LoadedRule => ({
  rule,
  condition: metered(condition, budget),
  clear: clear && metered(clear, budget),
});
