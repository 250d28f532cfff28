import { t } from '../../../strings/index.ts';

/** Comparison of a variable that has one of some words. */
export interface Choice {
  readonly variable: string;
  readonly operator: '==' | '!=';
  readonly word: string;
}

const SHAPE = /^\s*([a-z]+)\s*(==|!=)\s*"([a-z_]+)"\s*$/;

/** Words of a variable, the usual one first, each with what people call it; undefined: any text, or a number. */
export const wordsOf = (variable: string): { readonly [word: string]: string } | undefined =>
  Object.hasOwn(t.alerts.words, variable)
    ? t.alerts.words[variable as keyof typeof t.alerts.words]
    : undefined;

/** Reads a condition that compares with a known word; undefined: it does not. */
export function readChoice(text: string): Choice | undefined {
  const [, variable = '', operator = '==', word = ''] = SHAPE.exec(text) ?? [];
  const words = wordsOf(variable);
  return words && Object.hasOwn(words, word)
    ? { variable, operator: operator as Choice['operator'], word }
    : undefined;
}

export const choiceText = ({ variable, operator, word }: Choice): string =>
  `${variable} ${operator} "${word}"`;
