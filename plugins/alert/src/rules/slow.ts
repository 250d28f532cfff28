import type { Condition } from '@svc/conditions';
import type { LoadedRule } from '../types.ts';

const LONGEST_MS = 3_600_000;
/** Variables that no report has. */
const STORED = new Set(['expires_in_days']);

/** Tells whether a rule needs stored values, so that the server whose turn it is judges it every few minutes. */
export const isSlow = ({ condition, clear }: Omit<LoadedRule, 'rule'>): boolean =>
  needsStored(condition) || (clear !== undefined && needsStored(clear));

/** Tells whether a rule uses windows that the plugin `series` has: those of more than an hour, `traffic` and `predict`. */
export const needsSeries = ({ condition, clear }: Omit<LoadedRule, 'rule'>): boolean =>
  hasLongWindow(condition) || (clear !== undefined && hasLongWindow(clear));

const needsStored = (condition: Condition): boolean =>
  condition.variables.some((name) => STORED.has(name)) || hasLongWindow(condition);

const hasLongWindow = ({ windows }: Condition): boolean =>
  windows.some(
    (use) =>
      use.function === 'traffic' ||
      use.function === 'predict' ||
      typeof use.span !== 'number' ||
      use.span > LONGEST_MS,
  );
