import type { Policy, Rule } from '../types.ts';

/** Shortest time between two repetitions, seconds. */
export const LEAST_REPEAT_S = 60;

export interface Progress {
  readonly rule: Pick<Rule, 'repeat_s' | 'severity'>;
  readonly policy: Pick<Policy, 'steps' | 'repeat_s'>;
  /** Unix ms at which the opening was told, and at which it was repeated last. */
  readonly told_at: number;
  readonly repeated_at: number;
  /** `after_s` of the later steps that were taken. */
  readonly steps: ReadonlySet<number>;
  readonly told: readonly number[] | null;
}

/** Ms between two messages about an alert that nobody acknowledged; undefined: it is told once. */
export function repeatOf({ rule, policy }: Pick<Progress, 'rule' | 'policy'>): number | undefined {
  const seconds = rule.repeat_s ?? policy.repeat_s[rule.severity] ?? 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Unix ms at which an open alert is told again or to others; null: never. */
export function nextAt(progress: Progress): number | null {
  const { policy, told_at, repeated_at, steps, told } = progress;
  const times = policy.steps
    .filter(({ after_s }) => after_s > 0 && !steps.has(after_s))
    .map(({ after_s }) => told_at + after_s * 1_000);
  const repeat = repeatOf(progress);
  if (repeat !== undefined && told !== null) times.push(repeated_at + repeat);
  return times.length > 0 ? Math.min(...times) : null;
}
