import type { Condition } from '@svc/conditions';
import type { LoadedRule } from '../types.ts';

const LONGEST_MS = 3_600_000;
/** Variables that no report has. */
const STORED = new Set(['expires_in_days']);

/** Tells whether a rule needs stored values, so that the server whose turn it is judges it every few minutes. */
export const isSlow = ({ condition, clear }: Omit<LoadedRule, 'rule'>): boolean =>
  needsStored(condition) || (clear !== undefined && needsStored(clear));

const needsStored = ({ variables, windows }: Condition): boolean =>
  variables.some((name) => STORED.has(name)) ||
  windows.some(
    (use) =>
      use.function === 'traffic' ||
      use.function === 'predict' ||
      typeof use.span !== 'number' ||
      use.span > LONGEST_MS,
  );
