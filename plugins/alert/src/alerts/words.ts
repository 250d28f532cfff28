import type { Condition } from '@svc/conditions';
import { unitOf, valueText } from '../evaluate/value-text.ts';
import { variableOf } from '../evaluate/variables.ts';

/** The measured value as people read it: `96.2 %`, `3.1 GiB`. */
export function textOf(value: number | null, condition: Condition | undefined): string {
  if (value === null) return '';
  const [first = ''] = condition?.variables ?? [];
  const unit = condition?.comparison ? unitOf(condition) : variableOf(first)?.unit;
  return valueText(value, unit ?? '');
}

interface Words {
  readonly subject: string;
  readonly part: string;
  readonly rule: string;
  readonly value: string;
  readonly threshold: string;
}

/** Fills `{{subject.name}}`, `{{part}}`, `{{rule}}`, `{{value}}` and `{{threshold}}`; other names stay as they are. */
export function filled(template: string, { subject, part, rule, value, threshold }: Words): string {
  const known = new Map(Object.entries({ 'subject.name': subject, part, rule, value, threshold }));
  return template.replace(/\{\{([a-z.]{1,20})\}\}/g, (all, name: string) => known.get(name) ?? all);
}
