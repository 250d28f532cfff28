import type { Condition } from '@svc/conditions';
import { besideLimit, comparedOf, unitOf } from '../evaluate/value-text.ts';
import { variableOf } from '../evaluate/variables.ts';

/** The measured value as people read it: `96.2 %`, `3.1 GiB`. */
export function textOf(value: number | null, condition: Condition | undefined): string {
  if (value === null) return '';
  const first = condition?.variables.map(variableOf).find((one) => one?.type === 'double');
  // The value of an event is how often it happened.
  if (condition && !first) return '';
  const unit = (condition?.comparison ? unitOf(condition) : first?.unit) ?? '';
  return besideLimit(value, unit, condition && comparedOf(condition)?.value);
}
