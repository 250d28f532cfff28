import type { Condition } from '@svc/conditions';
import { besideLimit, comparedOf, unitOf } from '../evaluate/value-text.ts';
import { DAYS_LEFT, variableOf } from '../evaluate/variables.ts';

/** The measured value as people read it: `96.2 %`, `3.1 GiB`, `ended 2 days ago`. */
export function textOf(value: number | null, condition: Condition | undefined): string {
  if (value === null) return '';
  const first = condition?.variables.map(variableOf).find((one) => one?.type === 'double');
  // The value of an event is how often it happened.
  if (condition && !first) return '';
  if (condition && isEnded(value, condition)) return endedText(value);
  const unit = (condition?.comparison ? unitOf(condition) : first?.unit) ?? '';
  return besideLimit(value, unit, condition && comparedOf(condition)?.value);
}

/** Tells whether a value says that a certificate has ended. */
export const isEnded = (value: number | null, condition: Condition): boolean =>
  value !== null && value < 0 && measuredName(condition) === DAYS_LEFT;

/** Variable whose value an alert has. */
const measuredName = ({ comparison, variables }: Condition): string | undefined =>
  comparison?.variable ?? variables.find((name) => variableOf(name)?.type === 'double');

function endedText(daysLeft: number): string {
  const days = Math.floor(-daysLeft);
  if (days === 0) return 'ended less than a day ago';
  return days === 1 ? 'ended a day ago' : `ended ${days} days ago`;
}
