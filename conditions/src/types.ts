/** Types of variables; all numbers are `double`. `list` holds texts, `object` is JSON of unknown form, a list as well. */
export type VariableType = 'double' | 'string' | 'bool' | 'list' | 'object';

export const WINDOW_FUNCTIONS = ['avg', 'max', 'min', 'rate', 'traffic', 'predict'] as const;
export type WindowFunction = (typeof WINDOW_FUNCTIONS)[number];

/** Names that a condition may use. */
export interface Vocabulary {
  /** Variables by name; a dot makes a member: `disk.used_percent`. */
  readonly variables: Readonly<Record<string, VariableType>>;
  /** Variables that window functions take, those of type `double`. Absent: there are no window functions. */
  readonly windows?: readonly string[];
}

/** One use of a window function; its arguments are literals. */
export interface WindowUse {
  readonly function: WindowFunction;
  /** Variable; empty for `traffic`. */
  readonly variable: string;
  /** Span in ms; of `traffic` the name of the period: `day`, `month`. */
  readonly span: number | 'day' | 'month';
  /** The use as text, `avg(cpu_usage,300000)`: equal uses have one key. */
  readonly key: string;
}

/** Fault of a condition. `from` and `to` are places in the text, in UTF-16 units. */
export interface Fault {
  readonly message: string;
  readonly from: number;
  readonly to: number;
  /** Variable or function that was probably meant. */
  readonly nearest?: string;
}

export type Value = number | string | boolean | readonly string[] | object | null | undefined;

/** Result of an evaluation: `undefined` where a variable that the condition uses has no value. */
export type Verdict = boolean | undefined;

/** Comparison of a variable or window with a number. */
export interface Comparison {
  readonly variable: string;
  readonly window: WindowUse | undefined;
  readonly operator: '>' | '>=' | '<' | '<=' | '==' | '!=';
  readonly value: number;
}

/** A checked condition. */
export interface Condition {
  readonly text: string;
  /** Variables that it uses, window functions' included. */
  readonly variables: readonly string[];
  readonly windows: readonly WindowUse[];
  /**
   * Evaluates it. `values` has members by name, those with a dot nested (`{disk: {free: 1}}`); `window` gives the value of a window, undefined where there is none.
   * Nothing is evaluated where a value is missing. @throws ConditionError for what only the values show, such as an index beyond a list
   */
  evaluate(
    values: Readonly<Record<string, Value>>,
    window?: (use: WindowUse) => number | undefined,
  ): Verdict;
  /** The one comparison of a variable or window with a number that it consists of, for forms and messages; undefined: it is more than that. */
  readonly comparison: Comparison | undefined;
  /** Comparisons of variables with numbers that all must hold, whatever else must; the one alone where there is one. */
  readonly comparisons: readonly Comparison[];
}
