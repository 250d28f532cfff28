import type { TSchema } from '@svc/plugin-sdk';

/** A JSON Schema (draft 7) as documents show it. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly patternProperties?: { readonly [pattern: string]: JsonSchema };
  readonly additionalProperties?: boolean | JsonSchema;
  readonly [keyword: string]: unknown;
}

/** Returns the schema for a client: without the marks of the library, and with one form for what has two. */
export function jsonSchema(schema: TSchema): JsonSchema {
  const { anyOf, items, properties, patternProperties, ...rest } = schema as JsonSchema;
  const plain = Object.fromEntries(Object.entries(rest).filter(([name]) => !isMark(name)));
  if (anyOf) return { ...noteOf(anyOf), ...plain, ...union(anyOf) };
  if (plain['type'] === 'bigint') return { type: 'integer' };
  if (String(plain['pattern']).includes('urn:uuid')) return { ...plain, format: 'uuid' };
  return {
    ...typed(plain),
    ...(items && { items: Array.isArray(items) ? items.map(jsonSchema) : jsonSchema(items) }),
    ...(properties && { properties: mapped(properties) }),
    ...(patternProperties && { patternProperties: mapped(patternProperties) }),
    ...(isSchema(plain['additionalProperties']) && {
      additionalProperties: jsonSchema(plain['additionalProperties']),
    }),
  };
}

/** Tells whether a name is a mark of this project (`x-keep-null`) or of the library (`~kind`). */
const isMark = (name: string): boolean => name.startsWith('~') || name.startsWith('x-');

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null;

const mapped = (schemas: { readonly [name: string]: JsonSchema }) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema)]));

/** Describes what may be null by its other variant; the description of a format says nothing more than its name. */
function noteOf([first, other, ...more]: readonly JsonSchema[]) {
  if (more.length > 0 || other?.type !== 'null' || !first?.description) return {};
  const { format, description } = jsonSchema(first);
  return format === undefined && description !== undefined ? { description } : {};
}

/** An enumeration says its type, as generators want it. */
const typed = (schema: JsonSchema): JsonSchema =>
  schema.enum?.every((value) => typeof value === 'string') && schema.type === undefined
    ? { type: 'string', ...schema }
    : schema;

function union(variants: readonly JsonSchema[]): JsonSchema {
  const whole = wholeNumber(variants) ?? wordSet(variants);
  if (whole) return whole;
  const [first, ...others] = variants.map(jsonSchema);
  if (others.length === 0) return first ?? {};
  return { anyOf: [first, ...others] as JsonSchema[] };
}

/** A number that arrives as BigInt where a double would change it is one number on the wire. */
function wholeNumber(variants: readonly JsonSchema[]): JsonSchema | undefined {
  const big = variants.find(({ type }) => type === 'bigint');
  const [number] = variants.filter(({ type }) => type !== 'bigint');
  if (!big || variants.length !== 2 || !number) return undefined;
  if (number.type === 'number') return jsonSchema(number);
  return big['minimum'] === 0n
    ? { type: 'integer', format: 'uint64', minimum: 0 }
    : { type: 'integer', format: 'int64' };
}

/** A word, also accepted as `{"<word>":null}`: clients send the word. */
function wordSet(variants: readonly JsonSchema[]): JsonSchema | undefined {
  const [words, ...objects] = variants;
  const isWord = ({ properties = {} }: JsonSchema) => {
    const [member, ...others] = Object.entries(properties);
    return member?.[1].type === 'null' && others.length === 0 && words?.enum?.includes(member[0]);
  };
  const isSet = words?.enum && objects.length === words.enum.length && objects.every(isWord);
  return isSet ? { type: 'string', enum: words.enum } : undefined;
}
