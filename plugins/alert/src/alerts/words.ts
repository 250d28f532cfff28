import type { VariableFacts } from '../rules/methods.ts';

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** The measured value as people read it: `96.2 %`, `3.1 GiB`, `14 s`. The unit is that of the first variable of the condition. */
export function valueText(
  value: number | null,
  condition: string,
  variables: readonly VariableFacts[],
): string {
  if (value === null) return '';
  const places = variables.map(({ name, unit }) => ({ unit, at: placeOf(condition, name) }));
  const [first] = places.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at);
  return withUnit(value, first?.unit ?? '');
}

function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!/[\w.]/.test(before) && !/\w/.test(after)) return at;
  }
  return -1;
}

function withUnit(value: number, unit: string): string {
  const isSize = unit === 'B' || unit.startsWith('B/') || unit.startsWith('byte');
  if (!isSize) return `${rounded(value)}${unit === '' ? '' : ` ${unit}`}`;
  const power = Math.min(
    Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10),
    SIZES.length - 1,
  );
  return `${rounded(value / 1024 ** power)} ${SIZES[power]}${unit.includes('/s') ? '/s' : ''}`;
}

const rounded = (value: number) => String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0)));

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
