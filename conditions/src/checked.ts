import { type Engine, libraryError, type Running } from './engine.ts';
import { ConditionError } from './error.ts';
import type { Findings } from './inspect.ts';
import type { Comparison, Condition, Value, Verdict, WindowUse } from './types.ts';
import { valueAt } from './ways.ts';
import { keyOfTexts } from './windows.ts';
import { Work } from './work.ts';

type Values = Readonly<Record<string, Value>>;
type ReadWindow = (use: WindowUse) => number | undefined;
/** Name of a variable, or of one and its member. */
type Path = readonly [head: string, member: string | undefined];

const COMPARE: { readonly [O in Comparison['operator']]: (a: number, b: number) => boolean } = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

interface Compiled {
  readonly text: string;
  readonly runs: ReturnType<Engine['parse']>;
  readonly engine: Engine;
  readonly comparison: Comparison | undefined;
  readonly comparisons: readonly Comparison[];
}

const pathOf = (name: string): Path => {
  const [head = '', member] = name.split('.');
  return [head, member];
};

/** Condition that was checked. One evaluation at a time uses it: an evaluation waits for nothing. */
export class CheckedCondition implements Condition {
  readonly text: string;
  readonly variables: readonly string[];
  readonly windows: readonly WindowUse[];
  readonly comparison: Comparison | undefined;
  readonly comparisons: readonly Comparison[];
  readonly #compiled: Compiled;
  readonly #paths: readonly Path[];
  readonly #looked: Findings['looked'];
  /** Variable of a comparison without a window: most conditions are one, and need no library. */
  readonly #compared: Path | undefined;
  readonly #measured = new Map<string, number>();
  readonly #running: Running;
  readonly #work: Work;

  constructor(compiled: Compiled, findings: Findings) {
    const { plain, variables, windows, patterns, size, looked } = findings;
    const { text, comparison, comparisons } = compiled;
    this.text = text;
    this.variables = [...variables];
    this.windows = [...windows.values()];
    this.comparison = comparison;
    this.comparisons = comparisons;
    this.#compiled = compiled;
    this.#paths = [...plain].map(pathOf);
    this.#looked = looked;
    this.#compared = comparison && !comparison.window ? pathOf(comparison.variable) : undefined;
    const work = new Work(size, patterns);
    this.#work = work;
    this.#running = {
      window: (name, variable, span) =>
        this.#measured.get(keyOfTexts(name, variable, span)) as number,
      matches: (subject, pattern) => work.matches(subject, pattern),
    };
  }

  evaluate(values: Values, window?: ReadWindow): Verdict {
    this.#work.begin();
    for (const path of this.#paths) {
      const value = at(values, path);
      if (value === undefined || value === null) return undefined;
      if (typeof value === 'string' || Array.isArray(value)) this.#work.add(value);
    }
    for (const way of this.#looked) this.#work.add(valueAt(values, way));
    if (this.#compared) {
      const { operator, value } = this.comparison as Comparison;
      const measured = at(values, this.#compared);
      if (typeof measured === 'number') return COMPARE[operator](measured, value);
    }
    for (const use of this.windows) {
      const value = window?.(use);
      if (value === undefined) return undefined;
      this.#measured.set(use.key, value);
    }
    this.#work.check();
    return this.#run(values);
  }

  /** @throws ConditionError */
  #run(values: Values): boolean {
    const { engine, runs } = this.#compiled;
    let result: unknown;
    try {
      result = engine.run(runs, values, this.#running);
    } catch (error) {
      const message = libraryError(error)?.message ?? 'the condition cannot be evaluated';
      throw new ConditionError(message.slice(0, 300), { cause: error });
    }
    this.#work.end();
    if (typeof result === 'boolean') return result;
    throw new ConditionError('the condition gives neither true nor false');
  }
}

function at(values: Values, [head, member]: Path): Value {
  const value = values[head];
  if (member === undefined || value === undefined || value === null) return value;
  return (value as Values)[member];
}
