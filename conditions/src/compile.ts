import { CheckedCondition } from './checked.ts';
import { comparisonOf, comparisonsOf } from './comparison.ts';
import { createEngine, type Engine, libraryError, type Node } from './engine.ts';
import { inspect, joins, mixedLoops } from './inspect.ts';
import type { Condition, Fault, Vocabulary } from './types.ts';

const MOST_CHARACTERS = 2_000;

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
    const [joined] = joins(root);
    if (joined) return { faults: [{ message: JOINED, ...placeOf(joined) }] };
    // A member of an object may be true or false; the object is neither.
    if (type !== 'bool' && (type !== 'dyn' || root.op === 'id'))
      return { faults: [{ ...wrongType(type), from: 0, to: text.length }] };
    const runs = engine.parse(withDoubles(text, findings.wholes));
    const second = runs.check().error;
    if (second) throw second;
    if (mixedLoops(runs.ast as unknown as Node).length > 0)
      return { faults: [{ message: MIXED, from: 0, to: text.length }] };
    const comparison = comparisonOf(root, vocabulary);
    const comparisons = comparisonsOf(root, vocabulary);
    const compiled = { text, runs, engine, comparison, comparisons };
    return { condition: new CheckedCondition(compiled, findings) };
  } catch (error) {
    return { faults: [faultOf(error, text)] };
  }
}

function engineOf(vocabulary: Vocabulary): Engine {
  const known = engines.get(vocabulary) ?? createEngine(vocabulary);
  engines.set(vocabulary, known);
  return known;
}

const JOINED = '+ adds numbers: texts and lists cannot be joined';
const MIXED = 'a list that a loop goes through has elements of one kind';
const placeOf = ({ range }: Node) => ({ from: range.start, to: range.end });

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
