import { parseJson } from '@svc/plugin-sdk/json';
import pg from 'pg';
import { arrayParser } from './quirks.ts';

type Parser = (text: string) => unknown;

/** int8 as number while a double can hold it, else as BigInt. */
const parseInt8 = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

/** numeric as number when nothing is lost, else as text. */
const parseNumeric = (text: string): number | string => {
  const number = Number(text);
  return String(number) === text ? number : text;
};

const plain: Parser = (text) => text;
const parseBool: Parser = (text) => text === 't';
const parseBytea = pg.types.getTypeParser(17) as Parser;

/** Type id → parser. Whatever is missing (uuid, times, ranges, …) stays text. */
const scalars = new Map<number, Parser>([
  [16, parseBool],
  [17, parseBytea],
  [20, parseInt8],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1700, parseNumeric],
]);

/** Array type id → parser of its elements. */
const elements = new Map<number, Parser>([
  [1000, parseBool],
  [1001, parseBytea],
  [1005, Number],
  [1007, Number],
  [1016, parseInt8],
  [1021, Number],
  [1022, Number],
  [1028, Number],
  [1231, parseNumeric],
  [1002, plain],
  [1009, plain],
  [1014, plain],
  [1015, plain],
  [1115, plain],
  [1182, plain],
  [1183, plain],
  [1185, plain],
  [2951, plain],
]);

const json = new Map<number, Parser>([
  [114, parseJson],
  [3802, parseJson],
]);
const jsonArrays = new Map<number, Parser>([
  [199, parseJson],
  [3807, parseJson],
]);

function types(
  scalar: ReadonlyMap<number, Parser>,
  element: ReadonlyMap<number, Parser>,
): pg.CustomTypesConfig {
  const getTypeParser = (id: number): Parser => {
    const parse = scalar.get(id);
    if (parse) return parse;
    const item = element.get(id);
    return item ? (text) => arrayParser.create(text, item).parse() : plain;
  };
  return { getTypeParser } as pg.CustomTypesConfig;
}

/** Types for the server's own tables: JSON comes as text, as it does from SQLite. */
export const storedTypes = types(scalars, elements);
/** Types for SQL of a caller: JSON comes as its value, integers in it unharmed. */
export const calledTypes = types(
  new Map([...scalars, ...json]),
  new Map([...elements, ...jsonArrays]),
);
