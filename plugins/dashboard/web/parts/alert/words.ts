import { alert as english } from '../../strings/en/alerts.ts';
import { t } from '../../strings/index.ts';
import { format } from '../index.ts';
import { reasonText } from '../monitor/reason.ts';
import type { Alert, Rule } from './types.ts';

type Named = Pick<Rule, 'name' | 'shipped'>;

/** Name of a rule; one that came with the server and still has its name is called in the reader's language. */
export function ruleTitle({ name, shipped }: Named): string {
  const id = shipped as keyof typeof english.shipped | null;
  return id !== null && english.shipped[id] === name ? t.alert.shipped[id] : name;
}

/** Measured value with what it was compared with; its own words where it has no value. `rule`: undefined where it is not known. */
export function measuredText(alert: Alert, rule?: Pick<Rule, 'source' | 'condition'>): string {
  const { value, value_text, threshold, summary, state, since, closed_at } = alert;
  if (rule?.source === 'presence') {
    if (state === 'clearing') return t.alert.back;
    return t.alert.away(format.duration((closed_at ?? Date.now()) - since));
  }
  if (value_text === '') return summary;
  if (rule?.source === 'monitor') {
    // Days of a certificate, or why a monitor is down.
    const isDays = value !== null && rule.condition?.startsWith('tls.days_left');
    return isDays ? t.alert.daysLeft(value) : reasonText(value_text);
  }
  return comparedText(value_text, threshold);
}

/** "97 % (> 90 %)" in the reader's units. */
export function comparedText(value: string, threshold: string): string {
  const measured = inUnits(value);
  return threshold === '' ? measured : t.alert.compared(measured, inUnits(threshold));
}

/** Time of the server's texts in the reader's units: `2 min`. */
function inUnits(text: string): string {
  const { second: s, minute: min, hour: h, day: d } = t.units;
  const units: { readonly [unit: string]: string } = { s, min, h, d };
  return text.replace(/(\d) (s|min|h|d)$/, (_all, digit, unit) => `${digit} ${units[unit]}`);
}

/** Name of who has acknowledged it; by the link in a message, nobody is known. */
export const ackedText = (who: string): string => (who === 'link' ? t.alert.byLink : who);

/** Reason why nothing is sent; undefined: it is sent. */
export function hiddenText({ hidden_by }: Alert): string | undefined {
  if (!hidden_by) return undefined;
  return t.alert.hidden[hidden_by.kind](hidden_by.name);
}
