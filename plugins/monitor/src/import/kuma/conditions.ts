import { jsonPath } from '../gatus/conditions.ts';
import type { Values } from '../types.ts';
import { listOf, numberOf, quoted, textOf } from '../values.ts';

const USUAL = 'status >= 200 && status <= 299';

/** Returns the condition for accepted codes such as `["200-299", "404"]`. */
export function statusCondition(codes: unknown): string {
  const single: string[] = [];
  const ranges: string[] = [];
  for (const code of listOf(codes).slice(0, 100).map(textOf)) {
    const [, from, to] = /^(\d{3})(?:-(\d{3}))?$/.exec(code) ?? [];
    if (from !== undefined && to === undefined) single.push(from);
    else if (from !== undefined) ranges.push(`status >= ${from} && status <= ${to}`);
  }
  const [only = USUAL, ...others] = [
    ...(single.length > 0 ? [`status in [${single.join(', ')}]`] : []),
    ...ranges,
  ];
  return others.length === 0
    ? only
    : [only, ...others].map((one) => (one.includes('&&') ? `(${one})` : one)).join(' || ');
}

/** Returns the condition of a query into JSON, where its path is a plain one. */
export function valueCondition(row: Values): { readonly text: string } | { readonly why: string } {
  const path = textOf(row['json_path']).replace(/^\$(?=\.|\[|$)/, '');
  const operator = textOf(row['json_path_operator']) || '==';
  const expected = textOf(row['expected_value']);
  const whole = path === '' ? 'body' : jsonPath(/^[.[]/.test(path) ? path : `.${path}`);
  if (whole === undefined)
    return { why: 'its JSONata expression is more than a plain path: write the condition in CEL' };
  const text = whole === 'body' ? whole : `string(${whole})`;
  switch (operator) {
    case '==':
    case '!=':
      return { text: `${text} ${operator} ${quoted(expected)}` };
    case 'contains':
      return { text: `${text}.contains(${quoted(expected)})` };
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (numberOf(expected) === undefined) return { why: `${operator} needs a number` };
      return { text: `double(${whole}) ${operator} ${numberOf(expected)}` };
    default:
      return { why: `the operator ${operator.slice(0, 20)} is not known` };
  }
}
