/** The one comparison that the form can show, and the text in CEL that it stands for. */
export type Operator = '>' | '>=' | '<' | '<=' | '==' | '!=';
export type Window = 'avg' | 'max' | 'min';

export interface Comparison {
  readonly variable: string;
  /** Window over the past instead of the newest value. */
  readonly window?: { readonly fn: Window; readonly span: string };
  readonly operator: Operator;
  /** Value in the unit of the variable: percent, bytes, seconds. */
  readonly value: number;
}

const NAME = '[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)?';
const SUBJECT = `(?:(avg|max|min)\\(\\s*"(${NAME})"\\s*,\\s*"(\\d+[smh])"\\s*\\)|(${NAME}))`;
const VALUE =
  '(?:(-?\\d+(?:\\.\\d+)?)|(KiB|MiB|GiB|TiB|KB|MB|GB|TB)\\(\\s*(\\d+(?:\\.\\d+)?)\\s*\\))';
const SHAPE = new RegExp(`^\\s*${SUBJECT}\\s*(>=|<=|==|!=|>|<)\\s*${VALUE}\\s*$`);

const SIZES: { readonly [name: string]: number } = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

/** Reads a condition into the form; undefined: it says more than the form can. */
export function readCondition(text: string): Comparison | undefined {
  const [, fn, windowed, span, plain, operator, number, size, sized] = SHAPE.exec(text) ?? [];
  const variable = windowed ?? plain;
  if (variable === undefined || operator === undefined) return undefined;
  return {
    variable,
    ...(fn !== undefined && span !== undefined && { window: { fn: fn as Window, span } }),
    operator: operator as Operator,
    value: number === undefined ? Number(sized) * (SIZES[size ?? ''] ?? 1) : Number(number),
  };
}

const BINARY = ['TiB', 'GiB', 'MiB', 'KiB'] as const;

/** Bytes as people write them: `GiB(10)`. */
function sizeText(bytes: number): string {
  const unit = BINARY.find(
    (one) => bytes >= (SIZES[one] ?? 1) && isShort(bytes / (SIZES[one] ?? 1)),
  );
  return unit ? `${unit}(${bytes / (SIZES[unit] ?? 1)})` : String(bytes);
}

const isShort = (value: number) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9;

/** Text in CEL of a comparison. */
export function conditionText(
  { variable, window, operator, value }: Comparison,
  isBytes: boolean,
): string {
  const subject = window ? `${window.fn}("${variable}", "${window.span}")` : variable;
  return `${subject} ${operator} ${isBytes ? sizeText(value) : value}`;
}

export const isAbove = (operator: Operator): boolean => operator.startsWith('>');

/** Comparison with which an alert of `opens` ends at another value. */
export const backOf = (opens: Comparison, value: number): Comparison => ({
  ...opens,
  operator: isAbove(opens.operator) ? '<' : '>',
  value,
});

/** Value at which it ends, where `clear` is the same comparison the other way; null: it is not; undefined: there is none. */
export function readBack(opens: Comparison, clear: string): number | null | undefined {
  if (clear.trim() === '') return undefined;
  const back = readCondition(clear);
  const isSame =
    back !== undefined &&
    back.variable === opens.variable &&
    back.window?.fn === opens.window?.fn &&
    back.window?.span === opens.window?.span &&
    isAbove(back.operator) !== isAbove(opens.operator) &&
    !/[=!]=$/.test(opens.operator.replace(/^[<>]=$/, ''));
  return isSame ? back.value : null;
}

const ANYWHERE = new RegExp(`${SUBJECT}\\s*(>=|<=|==|!=|>|<)\\s*${VALUE}`, 'g');

/** Every comparison with a number that stands in a condition, whatever else it says. */
export function comparisonsIn(text: string): readonly Comparison[] {
  return [...text.matchAll(ANYWHERE)].flatMap(([found]) => readCondition(found) ?? []);
}
