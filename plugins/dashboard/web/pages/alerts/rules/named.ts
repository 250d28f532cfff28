import { readCondition } from '../../../parts/alert/condition.ts';

/** A condition that holds of machines of certain names alone. */
export interface Named {
  readonly condition: string;
  /** Beginning of the names; empty: all. */
  readonly prefix: string;
}

const SHAPE = /^(.+) && name\.startsWith\(("(?:[^"\\]|\\.)*")\)$/s;

/** Takes the beginning of names off a condition that ends with it. */
export function readNamed(text: string): Named {
  const [, rest = '', literal = ''] = SHAPE.exec(text.trim()) ?? [];
  const inner = /^\((.*)\)$/s.exec(rest)?.[1];
  const condition =
    readCondition(rest) || !/\|\||\?/.test(rest)
      ? rest
      : inner !== undefined && isClosed(inner)
        ? inner
        : undefined;
  const prefix = condition === undefined ? undefined : textOf(literal);
  return condition === undefined || prefix === undefined || condition === ''
    ? { condition: text, prefix: '' }
    : { condition, prefix };
}

/** Text in CEL; what binds less than "and" stands in brackets. */
export function namedText({ condition, prefix }: Named): string {
  if (prefix === '') return condition;
  const whole = /\|\||\?/.test(condition) ? `(${condition})` : condition;
  return `${whole} && name.startsWith(${JSON.stringify(prefix)})`;
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
