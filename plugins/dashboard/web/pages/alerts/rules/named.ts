import { readCondition } from '../../../parts/alert/condition.ts';

/** A condition that holds of machines of certain names alone. */
export interface Named {
  readonly condition: string;
  /** Beginning of the names; empty: all. */
  readonly prefix: string;
}

/** A condition that holds of monitors of one group alone. */
export interface Grouped {
  readonly condition: string;
  /** Empty: all. */
  readonly group: string;
}

const LITERAL = '("(?:[^"\\\\]|\\\\.)*")';
const NAMED = new RegExp(`^(.+) && name\\.startsWith\\(${LITERAL}\\)$`, 's');
const GROUPED = new RegExp(`^(.+) && group == ${LITERAL}$`, 's');

/** Takes the beginning of names off a condition that ends with it. */
export function readNamed(text: string): Named {
  const found = readEnd(text, NAMED);
  return { condition: found?.condition ?? text, prefix: found?.value ?? '' };
}

/** Text in CEL; what binds less than "and" stands in brackets. */
export const namedText = ({ condition, prefix }: Named): string =>
  prefix === '' ? condition : withEnd(condition, `name.startsWith(${JSON.stringify(prefix)})`);

/** Takes the group off a condition that ends with it. */
export function readGrouped(text: string): Grouped {
  const found = readEnd(text, GROUPED);
  return { condition: found?.condition ?? text, group: found?.value ?? '' };
}

export const groupedText = ({ condition, group }: Grouped): string =>
  group === '' ? condition : withEnd(condition, `group == ${JSON.stringify(group)}`);

function readEnd(text: string, shape: RegExp) {
  const [, rest = '', literal = ''] = shape.exec(text.trim()) ?? [];
  const inner = /^\((.*)\)$/s.exec(rest)?.[1];
  const condition =
    readCondition(rest) || !/\|\||\?/.test(rest)
      ? rest
      : inner !== undefined && isClosed(inner)
        ? inner
        : undefined;
  const value = condition === undefined ? undefined : textOf(literal);
  return condition === undefined || value === undefined || condition === ''
    ? undefined
    : { condition, value };
}

function withEnd(condition: string, end: string): string {
  const whole = /\|\||\?/.test(condition) ? `(${condition})` : condition;
  return `${whole} && ${end}`;
}

function textOf(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

/** Tells whether no bracket closes one that was opened before the text. */
function isClosed(text: string): boolean {
  let depth = 0;
  for (const [one] of text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[()]/g)) {
    depth += one === '(' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
