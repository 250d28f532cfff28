import type { CheckedKind } from '../../types.ts';
import { quoted } from '../values.ts';
import { secondsOf } from './durations.ts';

/** A condition in CEL, or the reason why there is none. */
export type Rewritten = { readonly text: string } | { readonly why: string };

type Operand =
  | { readonly is: 'value'; readonly text: string; readonly plain?: string }
  | { readonly is: 'expiry' }
  | { readonly is: 'connected' }
  | { readonly is: 'any'; readonly of: readonly string[] }
  | { readonly is: 'pattern'; readonly glob: string };

const DAY_S = 86_400;
const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;
const UNKNOWN: Readonly<Record<string, string>> = {
  DOMAIN_EXPIRATION: 'when a domain ends is watched by a monitor of the kind domain: make one',
  CONTEXT: 'suites are not taken over',
};

/** Writes a condition of Gatus in CEL. */
export function rewrite(condition: string, kind: CheckedKind): Rewritten {
  const operator = OPERATORS.find((one) => condition.includes(` ${one} `));
  if (operator === undefined || condition.length > 500) return { why: 'it is no comparison' };
  const at = condition.indexOf(` ${operator} `);
  const sides = [condition.slice(0, at), condition.slice(at + operator.length + 2)];
  const operands: Operand[] = [];
  for (const side of sides) {
    const read = operandOf(side.trim(), kind);
    if ('why' in read) return read;
    operands.push(read);
  }
  const [left, right] = operands as [Operand, Operand];
  return compared(left, right, operator);
}

type Operator = (typeof OPERATORS)[number];

function compared(left: Operand, right: Operand, operator: Operator): Rewritten {
  if (
    left.is === 'any' ||
    left.is === 'pattern' ||
    right.is === 'expiry' ||
    right.is === 'connected'
  ) {
    if (right.is === 'any' || right.is === 'pattern') return { why: 'both sides are patterns' };
    return compared(right, left, MIRRORED[operator]);
  }
  if (left.is === 'connected') return connected(right, operator);
  if (left.is === 'expiry') {
    const seconds = right.is === 'value' ? secondsOf(right.plain ?? '') : undefined;
    if (seconds === undefined) return { why: 'it does not name a time' };
    return { text: `tls.days_left ${operator} ${Number((seconds / DAY_S).toFixed(4))}` };
  }
  if (right.is === 'value') return { text: `${left.text} ${operator} ${right.text}` };
  if (operator !== '==' && operator !== '!=')
    return { why: `${operator} does not go with any() and pat()` };
  const text =
    right.is === 'any'
      ? anyOf(left.text, right.of)
      : matched(left.text, (right as { glob: string }).glob);
  return { text: operator === '==' ? text : `!(${text})` };
}

const MIRRORED: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

/** A check that does not connect has failed before any condition is judged. */
function connected(right: Operand, operator: Operator): Rewritten {
  const isTrue = right.is === 'value' && right.plain === 'true';
  return isTrue === (operator === '==')
    ? { text: 'true' }
    : { why: 'a check that must not connect is one with upside_down' };
}

function operandOf(text: string, kind: CheckedKind): Operand | { readonly why: string } {
  const called = /^(len|has|pat|any)\((.*)\)$/s.exec(text);
  if (called) return functionOf(called[1] as string, called[2] as string, kind);
  const named = /^\[([A-Z_]+)\](.*)$/s.exec(text);
  if (!named) return literal(text);
  const [, name = '', path = ''] = named;
  if (name === 'BODY') return bodyOf(path, kind);
  const found = path === '' ? placeholder(name, kind) : undefined;
  return found ?? { why: UNKNOWN[name] ?? `a check of the kind ${kind} has no [${name}]` };
}

function functionOf(
  name: string,
  inner: string,
  kind: CheckedKind,
): Operand | { readonly why: string } {
  if (name === 'pat') return { is: 'pattern', glob: inner };
  if (name === 'any') return { is: 'any', of: inner.split(',').map((one) => one.trim()) };
  const of = operandOf(inner.trim(), kind);
  if ('why' in of) return of;
  if (of.is !== 'value') return { why: `${name}() takes [BODY]` };
  return { is: 'value', text: name === 'len' ? `size(${of.text})` : `has(${of.text})` };
}

function placeholder(name: string, kind: CheckedKind): Operand | undefined {
  const value = (text: string): Operand => ({ is: 'value', text });
  switch (name) {
    case 'STATUS':
      return kind === 'http' ? value('status') : undefined;
    case 'RESPONSE_TIME':
      return value('ms');
    case 'IP':
      return kind === 'dns' ? undefined : value('ip');
    case 'CERTIFICATE_EXPIRATION':
      return kind === 'dns' || kind === 'ping' ? undefined : { is: 'expiry' };
    case 'DNS_RCODE':
      return kind === 'dns' ? value('rcode') : undefined;
    case 'CONNECTED':
      return { is: 'connected' };
    default:
      return undefined;
  }
}

function bodyOf(path: string, kind: CheckedKind): Operand | { readonly why: string } {
  const names = { http: 'body', tcp: 'received', dns: 'answers[0]', ping: '', tls: '', domain: '' };
  const name = names[kind];
  if (name === '') return { why: `a check of the kind ${kind} has no [BODY]` };
  if (path === '') return { is: 'value', text: name };
  const json = kind === 'http' ? jsonPath(path) : undefined;
  return json === undefined
    ? { why: `${path.slice(0, 80)} is no plain path` }
    : { is: 'value', text: json };
}

/** Returns the expression for a path of names and numbers such as `.a[0].b`; undefined: it is another one. */
export function jsonPath(path: string): string | undefined {
  const parts = path.match(/\.[\w-]+|\[\d{1,6}\]/g) ?? [];
  if (parts.length === 0 || parts.length > 20 || parts.join('') !== path) return undefined;
  const members = parts.map((part) =>
    /^\.\w*-|^\.\d/.test(part) ? `[${quoted(part.slice(1))}]` : part,
  );
  return `json${members.join('')}`;
}

const isNumber = (text: string) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text);
const written = (text: string): string =>
  isNumber(text) || text === 'true' || text === 'false' ? text : quoted(text);
const literal = (text: string): Operand => ({ is: 'value', text: written(text), plain: text });

function anyOf(left: string, of: readonly string[]): string {
  const globs = of
    .filter((one) => /^pat\(.*\)$/s.test(one))
    .map((one) => matched(left, one.slice(4, -1)));
  const plain = of.filter((one) => !/^pat\(.*\)$/s.test(one)).map(written);
  const listed = plain.length > 0 ? [`${left} in [${plain.join(', ')}]`] : [];
  return [...listed, ...globs].join(' || ');
}

/** Returns the expression for a pattern in which `*` stands for anything. */
function matched(left: string, glob: string): string {
  const text = left === 'status' || left === 'ms' ? `string(${left})` : left;
  const inner = glob.replace(/^\*|\*$/g, '');
  if (inner.includes('*')) {
    const pattern = glob
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*');
    return `re(${text}, ${quoted(`^${pattern}$`)})`;
  }
  const [isOpen, isEnded] = [glob.startsWith('*'), glob.endsWith('*')];
  if (glob === '*') return 'true';
  if (isOpen && isEnded) return `${text}.contains(${quoted(inner)})`;
  if (isOpen) return `${text}.endsWith(${quoted(inner)})`;
  return isEnded ? `${text}.startsWith(${quoted(inner)})` : `${text} == ${quoted(glob)}`;
}
