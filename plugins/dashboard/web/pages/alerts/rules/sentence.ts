import { type Comparison, readBack, readCondition } from '../../../parts/alert/condition.ts';
import { format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { titleOf, type UnitKind, unitOf, type Variable } from './variables.ts';

/** Value with its unit: 90%, 10 GiB, 2 min. */
export function valueText(value: number, unit: UnitKind): string {
  const short = Number.isInteger(value) ? format.number(value) : format.number(value, 1);
  if (unit === 'percent') return `${short}%`;
  if (unit === 'bytes') return format.text(format.bytes(value));
  if (unit === 'rate') return format.text(format.byteRate(value));
  if (unit === 'seconds')
    return value < 0 ? `−${format.duration(-value * 1_000)}` : format.duration(value * 1_000);
  if (unit === 'degrees') return `${short} °C`;
  if (unit === 'days') return t.alerts.days(value);
  return unit === 'ms' ? `${short} ms` : short;
}

/** Things that a rule's sentence is made of. */
export interface Said {
  readonly condition: string;
  readonly clear?: string | null | undefined;
  readonly for_s?: number | null | undefined;
}

/** "Disk used above 90% for 5 min, until below 85%"; undefined: the condition says more than a sentence. */
export function sentence(
  { condition, clear, for_s }: Said,
  variables: readonly Variable[] = [],
): string | undefined {
  const opens = readCondition(condition);
  if (!opens) return undefined;
  const known = variables.find(({ name }) => name === opens.variable);
  const unit = unitOf(opens.variable, known);
  const back = readBack(opens, clear ?? '');
  if (back === null) return undefined;
  const s = t.alerts.sentence;
  const parts = [
    s.opens(subjectText(opens, known), s.operators[opens.operator], valueText(opens.value, unit)),
    for_s ? s.lasts(format.duration(for_s * 1_000)) : '',
    back === undefined
      ? ''
      : s.until(s.operators[opens.operator.startsWith('>') ? '<' : '>'], valueText(back, unit)),
  ];
  return parts.join('');
}

const SECONDS: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3_600 };

/** `15m` as "15 min". */
const spanText = (span: string): string =>
  format.duration(Number.parseInt(span, 10) * (SECONDS[span.at(-1) ?? ''] ?? 1) * 1_000);

function subjectText({ variable, window }: Comparison, known: Variable | undefined): string {
  const title = titleOf(variable, known);
  return window ? t.alerts.sentence.windows[window.fn](title, spanText(window.span)) : title;
}

/** Sentence of a rule, else its condition as it stands. */
export const ruleText = (rule: Said): string => sentence(rule) ?? rule.condition;
