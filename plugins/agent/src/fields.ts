import { RawJson } from '@svc/plugin-sdk/json';
import { wordOf } from '@svc/plugin-sdk/schemas';
import { type Field, HEAD, type Kind, type Row, TIMESTAMP } from './kinds.ts';

/** A word as it came over the wire: `"cpu"` or `{"cpu":null}`. */
export type FieldWord = string | { readonly [word: string]: null };

/** The fields of one call: distinct, in the kind's order, and one number that names the set. */
export interface Selection {
  readonly fields: readonly Field[];
  readonly set: number;
}

/** Reads `fields`. None means no field for static and dynamic data, and every field for summaries (agent.md §4). */
export function selectionOf(kind: Kind, words: readonly FieldWord[]): Selection {
  const everyField = kind.name === 'summary' && words.length === 0;
  let set = everyField ? 2 ** kind.fields.length - 1 : 0;
  for (const word of words) {
    const name = wordOf(word);
    set |= 1 << kind.fields.findIndex((field) => field.name === name);
  }
  return { fields: kind.fields.filter((_field, index) => set & (1 << index)), set };
}

/** JSON text of one row as every read method answers it; absent values are null. */
export function rowJson(kind: Kind, uuid: string, row: Row, { set }: Selection): string {
  let text = `{"uuid":"${uuid}","timestamp":${row[TIMESTAMP]}`;
  for (let index = 0; index < kind.fields.length; index++) {
    if (!(set & (1 << index))) continue;
    const { name, scaled } = kind.fields[index] as Field;
    const value = row[HEAD.length + index];
    text += `,"${name}":${scaled && value !== null ? Number(value) / 10 : value}`;
  }
  return `${text}}`;
}

export const EMPTY_ARRAY = new RawJson('[]');
