import { RpcError, type TSchema, Type } from '@svc/plugin-sdk';
import { wordOf } from '@svc/plugin-sdk/schemas';

/** Returns a value without members that its schema does not name; the value itself when there are none. */
export type Picker = (value: never) => unknown;

/**
 * Picker of a schema, for values that passed it; words are stored bare.
 * The usual report has no unknown member, so the usual cost is counting the members of each object.
 */
export function pickerOf(schema: TSchema): Picker | undefined {
  if (Type.IsArray(schema)) return arrayPicker(pickerOf(schema.items));
  if (Type.IsObject(schema)) return objectPicker(schema.properties);
  return isWord(schema) ? wordOf : undefined;
}

/** Tells whether a union is one of words, which may come as objects. The other unions are numbers, which need no change. */
const isWord = (schema: TSchema): boolean =>
  Type.IsUnion(schema) && schema.anyOf.some((form) => Type.IsObject(form));

function arrayPicker(pick: Picker | undefined): Picker | undefined {
  if (!pick) return undefined;
  return (value: readonly never[]) => {
    let picked: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const before = value[index] as never;
      const after = pick(before);
      if (after === before) continue;
      picked ??= value.slice();
      picked[index] = after;
    }
    return picked ?? value;
  };
}

function objectPicker(properties: { readonly [name: string]: TSchema }): Picker {
  const names = Object.keys(properties);
  const extra = names.filter((name) => Type.IsOptional(properties[name] as TSchema));
  const required = names.length - extra.length;
  const inner = names.flatMap((name) => {
    const pick = pickerOf(properties[name] as TSchema);
    return pick ? [{ name, pick }] : [];
  });
  return (value: Record<string, never>) => {
    let replaced: Record<string, unknown> | undefined;
    for (const { name, pick } of inner) {
      const before = value[name] as never;
      const after = pick(before);
      if (after === before) continue;
      replaced ??= {};
      replaced[name] = after;
    }
    let expected = required;
    for (const name of extra) if (value[name] !== undefined) expected++;
    if (!replaced && members(value) === expected) return value;
    const present = names.filter((name) => value[name] !== undefined);
    return Object.fromEntries(present.map((name) => [name, replaced?.[name] ?? value[name]]));
  };
}

/** Counts the members; a list of their names would cost more than all else here. */
function members(value: object): number {
  let count = 0;
  for (const _name in value) count++;
  return count;
}

/** U+0000 and lone halves of surrogate pairs, as `JSON.stringify` escapes them; jsonb cannot hold either. */
const unstorable = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Tells whether a value of this schema can hold a text of the sender's. */
export function holdsText(schema: TSchema): boolean {
  if (Type.IsArray(schema)) return holdsText(schema.items);
  if (Type.IsObject(schema)) return Object.values(schema.properties).some(holdsText);
  return Type.IsString(schema);
}

/** @throws RpcError 108 for JSON text with characters that Postgres cannot store */
export function checkText(name: string, text: string): void {
  const suspect = text.includes('\\u0000') || text.includes('\\ud');
  if (suspect && unstorable.test(text)) {
    throw RpcError.invalid(`${name} holds U+0000 or half of a surrogate pair`);
  }
}
