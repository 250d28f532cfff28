import type { Static, TSchema } from 'typebox';
import type { RawJson } from './json/raw.ts';
import { Type } from './typebox.ts';

/** Signed 64-bit integer; values a double cannot hold arrive as BigInt. */
export const Int64 = integer64(-(2n ** 63n), 2n ** 63n - 1n, 'Signed 64-bit integer.');
/** Unsigned 64-bit integer; values a double cannot hold arrive as BigInt. */
export const Uint64 = integer64(0n, 2n ** 64n - 1n, 'Unsigned 64-bit integer.');
export const Int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });
export const Uint32 = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 });
export const Int16 = Type.Integer({ minimum: -32768, maximum: 32767 });
export const Uint8 = Type.Integer({ minimum: 0, maximum: 255 });
/** Any finite JSON number; an integer of 16 or more digits arrives as BigInt. */
export const Float64 = Type.Union([
  Type.Number(),
  Type.BigInt({ minimum: -BigInt(Number.MAX_VALUE), maximum: BigInt(Number.MAX_VALUE) }),
]);

function integer64(minimum: bigint, maximum: bigint, description: string) {
  // A number is safe or it came as BigInt. The compiled check compares with a double, which is exact for
  // a power of two and not for the largest value one below it: hence the exclusive bound.
  const safe = Math.max(Number(minimum), Number.MIN_SAFE_INTEGER);
  return Type.Union(
    [
      Type.Integer({ minimum: safe, maximum: Number.MAX_SAFE_INTEGER }),
      Type.BigInt({ minimum, exclusiveMaximum: maximum + 1n }),
    ],
    { description },
  );
}

const hyphenated = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** A UUID in any accepted spelling (monitoring-data.md §2.1); `canonicalUuid` gives the lower-case hyphenated one. */
export const Uuid = Type.String({
  pattern: `^(?:${hyphenated}|[0-9a-fA-F]{32}|\\{${hyphenated}\\}|urn:uuid:${hyphenated})$`,
  description: 'UUID: hyphenated, 32 hex digits, in braces, or as urn:uuid.',
});

/** The lower-case hyphenated spelling of a string that passed `Uuid`. */
export function canonicalUuid(text: string): string {
  if (text.length === 36) return text.toLowerCase();
  const hex = text.replace(/^urn:uuid:|[-{}]/g, '').toLowerCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Agents that one call names at most: those of the largest fleet that a server is made for. */
export const MOST_AGENTS = 10_000;
/** Words that a list of a fixed set has at most; some may stand there twice. */
export const MOST_WORDS = 100;
/** Texts of one command or request at most: arguments, header fields. */
export const MOST_TEXTS = 10_000;

/** One word of a set; also accepted as `{"<word>":null}` (conventions.md §8). `wordOf` reads either form. */
export function words<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number] | { readonly [word: string]: null }>(
    Type.Union([
      Type.Enum([...values]),
      ...values.map((word) =>
        Type.Object({ [word]: Type.Null() }, { additionalProperties: false }),
      ),
    ]),
  );
}

/** The word of a value that passed `words`. */
export function wordOf<T extends string>(value: T | { readonly [word: string]: null }): T {
  return (typeof value === 'string' ? value : Object.keys(value)[0]) as T;
}

/** A parameter of any JSON type that the handler gets as the sender's JSON text, with every number as it was written. */
export const JsonText = Type.Unsafe<RawJson>(Type.Unknown({ 'x-json-text': true }));

/** `T`, `null` or absent: all three mean "no value" for an optional parameter. */
export const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** Schema as of `optional`, but an explicit `null` reaches the handler, because it means something else than absent. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()], { 'x-keep-null': true }));

/** The same schema without bounds on lists and records: for what is stored, which an earlier version may have let grow longer. */
export function withoutBounds<T extends TSchema>(schema: T): T {
  const unbound = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? withoutBounds(value as TSchema) : value;
  const members = Object.entries(Object.getOwnPropertyDescriptors(schema))
    .filter(([name]) => name !== 'maxItems' && name !== 'maxProperties')
    .map(([name, member]) => [name, { ...member, value: unbound(member.value) }]);
  const copy = Array.isArray(schema) ? [] : {};
  return Object.defineProperties(copy, Object.fromEntries(members)) as T;
}

/** The same schema with more members of JSON Schema; what the library keeps hidden in it stays hidden. */
export function withMembers<T extends TSchema>(schema: T, members: object): T {
  const more = Object.entries(members).map(([name, value]) => [name, { value, enumerable: true }]);
  return Object.defineProperties({} as T, {
    ...Object.getOwnPropertyDescriptors(schema),
    ...Object.fromEntries(more),
  });
}

/** The same schema for a parameter that the reference describes so. Where a limit fails, errors quote it: name the limit. */
export const described = <T extends TSchema>(schema: T, description: string): T =>
  withMembers(schema, { description });

export type { Static, TSchema };
export { Type };

/** Parameter `dry_run` of a method that can check a change without making it. */
export const DryRun = optional(
  Type.Boolean({
    description:
      'True: everything is checked except how much the caller may hold, and nothing is changed; the answer is what it would be.',
  }),
);
