import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import type { Vocabulary } from './types.ts';

/** Node of a parsed condition; `range` is its place in the text. */
export interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly range: { readonly start: number; readonly end: number };
  /** Type that the check found. */
  readonly checkedType?: { readonly type: string; readonly hasDynType: boolean } | undefined;
}

/** Values that the functions of a condition need while it is evaluated. */
export interface Running {
  readonly window: (functionName: string, variable: string, span: string) => number;
  readonly matches: (text: string, pattern: string) => boolean;
}

export interface Engine {
  /** @throws an error of the library: `faultOf` reads it */
  parse(text: string): ParseResult;
  /** Evaluates with these functions. @throws an error of the library */
  run(parsed: ParseResult, values: object, running: Running): unknown;
}

const UNITS = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
} as const;

/** Bytes in one of each unit that conditions know as a function, `GiB(10)`. */
export const units: Readonly<Record<string, number>> = UNITS;

const LIMITS = {
  maxAstNodes: 200,
  maxDepth: 16,
  maxListElements: 64,
  maxMapEntries: 16,
  maxCallArguments: 8,
};

const TYPES = {
  double: 'double',
  string: 'string',
  bool: 'bool',
  list: 'list<string>',
  object: 'dyn',
} as const;

/** The language with the variables of a vocabulary. */
export function createEngine({ variables, windows }: Vocabulary): Engine {
  let running: Running | undefined;
  const env = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS });
  registerNumbers(env);
  env.registerFunction('re(string, string): bool', (text: string, pattern: string) =>
    (running as Running).matches(text, pattern),
  );
  if (windows) {
    for (const name of ['avg', 'max', 'min', 'rate', 'predict']) {
      env.registerFunction(`${name}(string, string): double`, (variable: string, span: string) =>
        (running as Running).window(name, variable, span),
      );
    }
    env.registerFunction('traffic(string): double', (span: string) =>
      (running as Running).window('traffic', '', span),
    );
  }
  registerVariables(env, variables);
  return {
    parse: (text) => env.parse(text),
    run(parsed, values, functions) {
      running = functions;
      try {
        return parsed(values as Record<string, unknown>);
      } finally {
        running = undefined;
      }
    },
  };
}

/** Variables with a dot become members of one variable of a type of its own. */
function registerVariables(env: Environment, variables: Vocabulary['variables']): void {
  const nested = new Map<string, Record<string, string>>();
  for (const [name, type] of Object.entries(variables)) {
    const [head, member] = name.split('.') as [string, string | undefined];
    const celType = TYPES[type];
    if (member === undefined) env.registerVariable(head, celType);
    else nested.set(head, { ...nested.get(head), [member]: celType });
  }
  for (const [name, schema] of nested) env.registerVariable(name, { schema });
}

/** Whole and broken numbers mix in each operation; without this `swap == 0` and `status in [200, 429]` are refused. */
function registerNumbers(env: Environment): void {
  const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
  };
  const mixed = [
    ['double', 'int'],
    ['int', 'double'],
  ] as const;
  for (const [sign, operation] of Object.entries(operations)) {
    for (const [left, right] of mixed) {
      env.registerOperator(`${left} ${sign} ${right}`, (a, b) => operation(Number(a), Number(b)));
    }
  }
  env.registerOperator('double == int', (a: number, b: bigint) => a === Number(b));
  env.registerOperator('double in list<int>', (a: number, list: readonly bigint[]) =>
    list.some((item) => Number(item) === a),
  );
  env.registerOperator('int in list<double>', (a: bigint, list: readonly number[]) =>
    list.includes(Number(a)),
  );
  for (const [name, bytes] of Object.entries(UNITS)) {
    env.registerFunction(`${name}(double): double`, (count: number) => count * bytes);
    env.registerFunction(`${name}(int): double`, (count: bigint) => Number(count) * bytes);
  }
  const pairs: Readonly<Record<string, (a: number, b: number) => number>> = {
    percent: (a, b) => (b === 0 ? 0 : (a / b) * 100),
    least: Math.min,
    greatest: Math.max,
  };
  for (const [name, of] of Object.entries(pairs)) {
    for (const [left, right] of [...mixed, ['double', 'double'], ['int', 'int']] as const) {
      env.registerFunction(`${name}(${left}, ${right}): double`, (a, b) =>
        of(Number(a), Number(b)),
      );
    }
  }
}

/** Reads an error of the library; undefined: it is none of the library's. */
export function libraryError(error: unknown):
  | {
      readonly code: string;
      readonly message: string;
      readonly from?: number;
      readonly to?: number;
    }
  | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, summary, range } = error as Error & {
    readonly code?: unknown;
    readonly summary?: unknown;
    readonly range?: { readonly start: number; readonly end: number };
  };
  if (typeof code !== 'string' || typeof summary !== 'string') return undefined;
  return { code, message: summary, ...(range && { from: range.start, to: range.end }) };
}
