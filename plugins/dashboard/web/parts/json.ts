import { t } from '../strings/index.ts';

/** JSON as people edit it. Integers beyond 2^53 keep their digits where the engine tells the text of a number. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
const INTEGER = /^-?\d+$/;

export const prettyJson = (value: unknown): string =>
  JSON.stringify(
    value,
    (_key, member: unknown) =>
      typeof member === 'bigint' ? (rawJSON?.(String(member)) ?? Number(member)) : member,
    2,
  ) ?? '';

export type ReadJson = { readonly value: unknown } | { readonly error: string };

/** The value, or what is wrong and where, in words. */
export function readJson(text: string): ReadJson {
  const exact: Reviver = (_key, value, context) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    INTEGER.test(context?.source ?? '') &&
    rawJSON
      ? BigInt(context?.source ?? '')
      : value;
  try {
    return { value: JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]) };
  } catch {
    const { at, expected } = firstMistake(text);
    const before = text.slice(0, at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { error: t.parts.notJson(before.length, column, t.parts.json[expected]) };
  }
}

type Expected = keyof typeof t.parts.json;

const SPACE = /[ \t\n\r]*/y;
const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`;
const TOKEN = new RegExp(`[{}[\\],:]|${STRING}|${NUMBER}|(?:true|false|null)\\b`, 'y');

/** Engines name the place of some mistakes only, and in English: this finds it. RFC 8259. */
function firstMistake(text: string): { readonly at: number; readonly expected: Expected } {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let mayEnd = false;
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const [kind = ''] = token ?? '';
    const inside = open.at(-1);
    const closes = (kind === '}' && inside === '{') || (kind === ']' && inside === '[');
    if (token === undefined) return { at, expected };
    if (closes && (mayEnd || expected === 'comma')) {
      open.pop();
      expected = open.length === 0 ? 'end' : 'comma';
    } else if (expected === 'value' && (kind === '{' || kind === '[')) {
      open.push(kind);
      expected = kind === '{' ? 'key' : 'value';
    } else if (expected === 'value' && !/[}\],:]/.test(kind))
      expected = inside === undefined ? 'end' : 'comma';
    else if (expected === 'key' && kind === '"') expected = 'colon';
    else if (expected === 'colon' && kind === ':') expected = 'value';
    else if (expected === 'comma' && kind === ',') expected = inside === '{' ? 'key' : 'value';
    else return { at, expected };
    mayEnd = kind === '{' || kind === '[';
    at += token.length;
  }
}
