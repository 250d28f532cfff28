import { beginningOf } from '../../../parts/alert/index.ts';
import { t } from '../../../strings/index.ts';

export const isPattern = (monitor: string): boolean => beginningOf(monitor) !== undefined;

/** Name of a monitor, or what a pattern of names stands for. */
export function monitorText(monitor: string): string {
  const beginning = beginningOf(monitor);
  if (beginning === undefined) return monitor;
  return beginning === '' ? t.alerts.anyMonitor : t.alerts.beginsWith(beginning);
}

/** Returns a text without stars at its end. */
export function withoutStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '*') end--;
  return text.slice(0, end);
}
