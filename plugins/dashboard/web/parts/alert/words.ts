import { t } from '../../strings/index.ts';
import type { Alert } from './types.ts';

/** Measured value with what it was compared with; its own words where it has no value. */
export function measuredText({ value_text, threshold, summary }: Alert): string {
  if (value_text === '') return summary;
  return threshold === '' ? value_text : `${value_text} (${threshold})`;
}

/** Name of who has acknowledged it; by the link in a message, nobody is known. */
export const ackedText = (who: string): string => (who === 'link' ? t.alert.byLink : who);

/** Reason why nothing is sent; undefined: it is sent. */
export function hiddenText({ hidden_by }: Alert): string | undefined {
  if (!hidden_by) return undefined;
  return t.alert.hidden[hidden_by.kind](hidden_by.name);
}
