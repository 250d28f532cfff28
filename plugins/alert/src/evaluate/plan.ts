import {
  type Condition,
  ConditionError,
  type Value,
  type Verdict,
  type WindowUse,
} from '@svc/conditions';
import type { AlertDetail, LoadedRule } from '../types.ts';
import { thresholdText } from './value-text.ts';
import { type Facts, factOf, type Measured, measuredOf, type Row } from './variables.ts';

export type Values = Record<string, Value>;
export type ReadWindow = (use: WindowUse) => number | undefined;

/** Values that the rules of one agent read: nothing else is taken out of its reports. */
export interface Plan {
  readonly rules: readonly LoadedRule[];
  readonly measured: readonly Measured[];
  readonly facts: readonly string[];
  /** Variables of windows, whose minutes are kept. */
  readonly windowed: readonly Measured[];
}

const plans = new WeakMap<readonly LoadedRule[], Plan>();

/** Finds what rules read; agents with the same array of rules share the plan. */
export function planOf(rules: readonly LoadedRule[]): Plan {
  const plan = plans.get(rules) ?? makePlan(rules);
  plans.set(rules, plan);
  return plan;
}

function makePlan(rules: readonly LoadedRule[]): Plan {
  const conditions = rules.flatMap(({ condition, clear }) =>
    clear ? [condition, clear] : [condition],
  );
  const names = [...new Set(conditions.flatMap(({ variables }) => variables))];
  const uses = conditions.flatMap(({ windows }) => windows);
  const known = (list: readonly string[]) => list.flatMap((name) => measuredOf(name) ?? []);
  return {
    rules,
    measured: known(names),
    facts: names.filter((name) => !measuredOf(name)),
    windowed: known([...new Set(uses.map(({ variable }) => variable))]),
  };
}

/** Reads the values of a plan from a summary. */
export function valuesOf({ measured, facts }: Plan, row: Row, of: () => Facts): Values {
  const values: Values = {};
  for (const { name, read } of measured) values[name] = read(row);
  if (facts.length === 0) return values;
  const known = of();
  for (const name of facts) values[name] = factOf(name, known);
  return values;
}

/** Evaluates a condition; undefined where it cannot be. */
export function verdictOf(condition: Condition, values: Values, window?: ReadWindow): Verdict {
  try {
    return condition.evaluate(values, window);
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return undefined;
  }
}

/** Value of an alert: what the condition compares, else the first number that it names. */
export function measureOf(
  { comparison, variables }: Condition,
  values: Values,
  window?: ReadWindow,
): number | null {
  if (comparison?.window) return window?.(comparison.window) ?? null;
  for (const name of comparison ? [comparison.variable] : variables) {
    const value = valueAt(values, name);
    if (typeof value === 'number') return value;
  }
  return null;
}

function valueAt(values: Values, name: string): Value {
  const [head, member] = name.split('.') as [string, string?];
  const value = values[head];
  return member === undefined ? value : (value as Values | null | undefined)?.[member];
}

/** Facts of an alert as people read them later. */
export function detailOf(
  { condition }: LoadedRule,
  values: Values,
  subject: { readonly name: string; readonly tags: readonly string[] },
): AlertDetail {
  const shown: Record<string, number | string | boolean> = {};
  for (const name of condition.variables) {
    const value = valueAt(values, name);
    if (typeof value === 'number' || typeof value === 'boolean') shown[name] = value;
    if (typeof value === 'string') shown[name] = value.slice(0, 100);
  }
  const threshold = thresholdText(condition);
  return {
    name: subject.name,
    tags: subject.tags.slice(0, 20),
    values: shown,
    ...(threshold && { threshold }),
  };
}
