import { randomUUID } from 'node:crypto';
import { loop } from '../runner/proof.ts';

/** A schema as JSON sees it. */
export interface Schema {
  readonly [key: string]: any;
}

/** One way to make a value long. */
export interface Growth {
  /** Where, and with what: `token_limit[].scopes (different)`. */
  readonly name: string;
  /** A text: what looks at it again and again shows early. */
  readonly isText?: boolean;
  /** A value of about so many bytes of JSON, or as long as the schema allows. */
  make(bytes: number): unknown;
}

/** What a parser may look at again and again. */
const FILLERS = loop(
  [' ', '/'],
  ['a', ' ', '/', '"', '<', '*', '(', '%', '0,', '\n', '/*', '--', '://'],
);
/** Texts of the usual forms, for patterns. */
const TEXTS = [
  'a',
  '1',
  'a:b',
  'a.b',
  '2026-01-02',
  '12:30',
  '#aabbcc',
  'http://a.example/',
  '10.0.0.1',
  '10.0.0.0/8',
];

/** A value that fits the schema, where one is easily found; `turn` makes different ones. */
export function sample(schema: Schema, turn = 0, defs: Schema = schema['$defs'] ?? {}): unknown {
  if (schema['$ref'] !== undefined) return sample(defs[schema['$ref']] ?? {}, turn, defs);
  if ('const' in schema) return schema['const'];
  if (schema['enum']) return schema['enum'][turn % schema['enum'].length];
  const branches: Schema[] | undefined = schema['anyOf'] ?? schema['oneOf'];
  if (branches) return sample(branches.find(({ type }) => type !== 'null') ?? {}, turn, defs);
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        (schema['required'] ?? []).map((key: string) => [
          key,
          sample(schema['properties']?.[key] ?? {}, turn, defs),
        ]),
      );
    case 'array':
      return itemsOf(schema, Math.max(schema['minItems'] ?? 0, 1), turn, defs);
    case 'string':
      return textOf(schema, turn);
    case 'integer':
    case 'number':
      return Math.min(
        (schema['minimum'] ?? 0) + turn,
        schema['maximum'] ?? Number.MAX_SAFE_INTEGER,
      );
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return turn;
  }
}

function itemsOf({ items }: Schema, count: number, turn: number, defs: Schema): unknown[] {
  if (Array.isArray(items)) return items.map((item) => sample(item, turn, defs));
  return Array.from({ length: count }, (_none, index) => sample(items ?? {}, turn + index, defs));
}

function textOf({ pattern, minLength = 1, maxLength = 200 }: Schema, turn: number): string {
  const given = [...(turn > 0 ? [`a${turn}`, String(turn)] : []), ...TEXTS, randomUUID()];
  const rule = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const found = given.find((text) => rule?.test(text) ?? true) ?? 'a';
  return found.padEnd(minLength, 'a').slice(0, Math.max(maxLength, 1));
}

/** Every way to make a value of this schema long: each list, record and text in it, on its own and all lists at once. */
export function* growthsOf(
  schema: Schema,
  name: string,
  defs: Schema = schema['$defs'] ?? {},
  depth = 0,
): Generator<Growth> {
  if (depth > 6) return;
  if (schema['$ref'] !== undefined) {
    yield* growthsOf(defs[schema['$ref']] ?? {}, name, defs, depth + 1);
    return;
  }
  for (const branch of schema['anyOf'] ?? schema['oneOf'] ?? [])
    yield* growthsOf(branch, name, defs, depth + 1);
  if (schema['type'] === 'array') yield* listGrowths(schema, name, defs, depth);
  else if (schema['type'] === 'object') yield* objectGrowths(schema, name, defs, depth);
  else if (schema['type'] === 'string') yield* textGrowths(schema, name);
  else if (
    schema['type'] === undefined &&
    !schema['anyOf'] &&
    !schema['enum'] &&
    !('const' in schema)
  )
    yield* anyGrowths(name);
}

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 1;

function* listGrowths(
  schema: Schema,
  name: string,
  defs: Schema,
  depth: number,
): Generator<Growth> {
  const items: Schema = schema['items'] ?? {};
  if (Array.isArray(items)) return;
  const most = schema['maxItems'] ?? Number.POSITIVE_INFINITY;
  const countOf = (bytes: number) =>
    Math.max(1, Math.min(most, Math.floor(bytes / (lengthOf(sample(items, 1000, defs)) + 1))));
  yield {
    name: `${name}[] (equal)`,
    make: (bytes) => Array(countOf(bytes)).fill(sample(items, 1, defs)),
  };
  yield {
    name: `${name}[] (different)`,
    make: (bytes) => itemsOf(schema, countOf(bytes), 1, defs),
  };
  for (const growth of growthsOf(items, `${name}[]`, defs, depth + 1))
    yield { ...growth, make: (bytes) => [growth.make(bytes)] };
}

function* objectGrowths(
  schema: Schema,
  name: string,
  defs: Schema,
  depth: number,
): Generator<Growth> {
  const base = sample(schema, 1, defs) as object;
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  const lists: Growth[] = [];
  for (const [key, part] of Object.entries<Schema>(properties))
    for (const growth of growthsOf(part, `${name}.${key}`, defs, depth + 1)) {
      yield { ...growth, make: (bytes) => ({ ...base, [key]: growth.make(bytes) }) };
      if (growth.name === `${name}.${key}[] (different)`)
        lists.push({ name: key, make: growth.make });
    }
  if (lists.length > 1)
    yield {
      name: `${name} (all lists)`,
      make: (bytes) => ({
        ...base,
        ...Object.fromEntries(lists.map((list) => [list.name, list.make(bytes / lists.length)])),
      }),
    };
  const [value] = Object.values<Schema>(patternProperties);
  const rest =
    value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  if (rest) {
    const one = lengthOf(sample(rest, 1000, defs)) + 10;
    const make = (bytes: number) =>
      Object.fromEntries(
        Array.from({ length: Math.floor(bytes / one) }, (_none, n) => [
          `k${n}`,
          sample(rest, n, defs),
        ]),
      );
    yield { name: `${name}{}`, make };
  }
}

function* textGrowths(
  { maxLength = Number.POSITIVE_INFINITY }: Schema,
  name: string,
): Generator<Growth> {
  for (const filler of FILLERS) {
    const one = JSON.stringify(filler).length - 2;
    const make = (bytes: number) =>
      // Something else at the end: what looks for an end must look at everything before.
      `a${filler.repeat(Math.floor(Math.min(bytes / one, (maxLength - 2) / filler.length)))}~`;
    yield { name: `${name} (text of ${JSON.stringify(filler)})`, isText: true, make };
  }
}

function* anyGrowths(name: string): Generator<Growth> {
  yield { name: `${name} (list)`, make: (bytes) => Array(Math.floor(bytes / 2)).fill(1) };
  yield { name: `${name} (lists)`, make: (bytes) => Array(Math.floor(bytes / 3)).fill([]) };
  yield { name: `${name} (text)`, make: (bytes) => 'a'.repeat(bytes) };
  yield {
    name: `${name} (members)`,
    make: (bytes) =>
      Object.fromEntries(
        Array.from({ length: Math.floor(bytes / 12) }, (_none, n) => [`k${n}`, n]),
      ),
  };
}
