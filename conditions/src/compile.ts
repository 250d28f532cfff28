import { comparisonOf } from './comparison.ts';
import { createEngine, type Engine, libraryError, type Node } from './engine.ts';
import { ConditionError } from './error.ts';
import { type Findings, inspect } from './inspect.ts';
import type { Condition, Fault, Value, Vocabulary, WindowUse } from './types.ts';
import { keyOfTexts } from './windows.ts';

const MOST_CHARACTERS = 2_000;

type Parsed = ReturnType<Engine['parse']>;
type Result = { readonly condition: Condition } | { readonly faults: readonly Fault[] };

const engines = new WeakMap<Vocabulary, Engine>();

/** Checks a condition against the names that it may use. A condition that checks has the type `bool`. */
export function compile(text: string, vocabulary: Vocabulary): Result {
  if (text.length > MOST_CHARACTERS) {
    const message = `the condition is longer than ${MOST_CHARACTERS} characters`;
    return { faults: [{ message, from: MOST_CHARACTERS, to: text.length }] };
  }
  const engine = engineOf(vocabulary);
  try {
    const parsed = engine.parse(text);
    const root = parsed.ast as unknown as Node;
    const findings = inspect(root, vocabulary);
    if (findings.faults.length > 0) return { faults: findings.faults };
    const { error, type } = parsed.check();
    if (error) throw error;
    if (type !== 'bool' && type !== 'dyn')
      return { faults: [{ ...wrongType(type), from: 0, to: text.length }] };
    const runs = engine.parse(withDoubles(text, findings.wholes));
    const second = runs.check().error;
    if (second) throw second;
    return { condition: conditionOf({ text, root, runs, engine, vocabulary }, findings) };
  } catch (error) {
    return { faults: [faultOf(error, text)] };
  }
}

function engineOf(vocabulary: Vocabulary): Engine {
  const known = engines.get(vocabulary) ?? createEngine(vocabulary);
  engines.set(vocabulary, known);
  return known;
}

const KINDS: Readonly<Record<string, string>> = { double: 'number', int: 'number', string: 'text' };

function wrongType(type: string | undefined): { readonly message: string } {
  const kind = KINDS[type ?? ''] ?? (type?.startsWith('list') ? 'list' : 'value');
  return { message: `the expression gives a ${kind}; compare it with something` };
}

/** Whole numbers become doubles, so that `x > 100 / 3` means what it says. */
function withDoubles(text: string, wholes: readonly Node[]): string {
  let result = text;
  for (const { range, args } of [...wholes].sort((a, b) => b.range.start - a.range.start)) {
    const digits = String(Number(args));
    const double = /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
    result = result.slice(0, range.start) + double + result.slice(range.end);
  }
  return result;
}

const MESSAGES: Readonly<Record<string, string>> = {
  'Unexpected token: EOF': 'the condition ends too early',
  'Exceeded maxAstNodes (200)': 'the condition has more than 200 parts',
  'Exceeded maxDepth (16)': 'the condition is nested more than 16 deep',
  'Exceeded maxListElements (64)': 'a list has more than 64 elements',
};

function faultOf(error: unknown, text: string): Fault {
  const known = libraryError(error);
  // Something that the library does not foresee, such as the end of the stack.
  if (!known) return { message: 'the condition cannot be read', from: 0, to: text.length };
  const from = Math.min(known.from ?? 0, text.length);
  const to = Math.min(Math.max(known.to ?? text.length, from), text.length);
  return { message: MESSAGES[known.message] ?? known.message, from, to };
}

interface Compiled {
  readonly text: string;
  readonly root: Node;
  readonly runs: Parsed;
  readonly engine: Engine;
  readonly vocabulary: Vocabulary;
}

type Values = Readonly<Record<string, Value>>;

function conditionOf(
  { text, root, runs, engine, vocabulary }: Compiled,
  findings: Findings,
): Condition {
  const windows = [...findings.windows.values()];
  const paths = [...findings.plain].map((name) => name.split('.') as [string, string?]);
  const measured = new Map<string, number>();
  const running = {
    window: (name: string, variable: string, span: string) =>
      measured.get(keyOfTexts(name, variable, span)) as number,
    matches: (subject: string, pattern: string) =>
      findings.patterns.get(pattern)?.(subject) ?? false,
  };
  return {
    text,
    variables: [...findings.variables],
    windows,
    comparison: comparisonOf(root, vocabulary),
    evaluate(values, window) {
      if (!paths.every((path) => isPresent(values, path))) return undefined;
      if (!windows.every((use) => measure(use, window, measured))) return undefined;
      return verdictOf(() => engine.run(runs, values, running));
    },
  };
}

function isPresent(values: Values, [head, member]: readonly [string, string?]): boolean {
  const value = values[head];
  if (value === undefined || value === null) return false;
  if (member === undefined) return true;
  const inner = (value as Values)[member];
  return inner !== undefined && inner !== null;
}

function measure(
  use: WindowUse,
  window: ((use: WindowUse) => number | undefined) | undefined,
  into: Map<string, number>,
): boolean {
  const value = window?.(use);
  if (value === undefined) return false;
  into.set(use.key, value);
  return true;
}

/** @throws ConditionError */
function verdictOf(evaluate: () => unknown): boolean {
  let result: unknown;
  try {
    result = evaluate();
  } catch (error) {
    const message = libraryError(error)?.message ?? 'the condition cannot be evaluated';
    throw new ConditionError(message.slice(0, 300), { cause: error });
  }
  if (typeof result === 'boolean') return result;
  throw new ConditionError('the condition gives neither true nor false');
}
