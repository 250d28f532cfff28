import { UserError } from '@svc/plugin-sdk';
import { Default, Errors, Pointer } from '@svc/plugin-sdk/typebox';
import { nearest } from '@svc/plugin-sdk/util';
import type { Static, TObject } from 'typebox';
import { type KeyPath, locate } from './locate.ts';

/** One thing that is wrong with a configuration. */
export interface Problem {
  readonly path: KeyPath;
  readonly message: string;
}

/**
 * A plugin's section with its defaults. With an empty `name` the schema describes top-level keys (`rootConfig`), `raw` may be the whole file, and
 * only the schema's keys are returned.
 * @throws UserError one line per problem: `[kv] max_value_bytes: must be integer (line 12)`
 */
export function validateSection<S extends TObject>(
  name: string,
  schema: S,
  raw: unknown,
  text: string | undefined,
): Static<S> {
  const base = name === '' ? [] : [name];
  const { value, problems } = checkValue(schema, name === '' ? pick(schema, raw) : raw, base);
  if (problems.length > 0) throw problemsError(problems, text);
  return value as Static<S>;
}

/** Applies defaults to a copy and lists what does not fit the schema; `value` is sound only without problems. */
export function checkValue(
  schema: TObject,
  raw: unknown,
  base: KeyPath,
): { value: unknown; problems: Problem[] } {
  if (raw !== undefined && !isTable(raw)) {
    return { value: raw, problems: [{ path: base, message: 'must be a table' }] };
  }
  const value = Default(schema, structuredClone(raw ?? {}));
  const found = Errors(schema, value).flatMap((error): Problem[] => {
    const path = [...base, ...pointerPath(error.instancePath)];
    if (error.keyword !== 'required') return [{ path, message: messageOf(error, schema) }];
    const { requiredProperties } = error.params as { requiredProperties: string[] };
    return requiredProperties.map((key) => ({ path: [...path, key], message: MISSING }));
  });
  return { value, problems: mostTelling(found) };
}

/** A required key that is missing may stand in the table misspelt. */
export function withHint(problem: Problem, raw: Record<string, unknown>): Problem {
  if (problem.message !== MISSING) return problem;
  let table: unknown = raw;
  for (const name of problem.path.slice(0, -1)) table = isTable(table) ? table[name] : undefined;
  const found = nearest(String(problem.path.at(-1)), isTable(table) ? Object.keys(table) : []);
  if (found === undefined) return problem;
  return { ...problem, message: `${MISSING}; is '${found}' meant to be it?` };
}

/** All problems as one error, a line for each. */
export function problemsError(problems: readonly Problem[], text: string | undefined): UserError {
  const lines = text === undefined ? undefined : locate(text);
  return new UserError(
    problems
      .map(({ path, message }) => {
        const line = lines?.lineOf(path);
        return `${labelOf(path)}: ${message}${line === undefined ? '' : ` (line ${line})`}`;
      })
      .join('\n'),
  );
}

/** `[database] max_connections`, `ws_listener`, `[kv]` for a whole section. */
export function labelOf(path: KeyPath): string {
  const words = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  const [first = '', ...rest] = words.map((word) => word.replace(/^\./, ''));
  if (path.length < 2 || typeof path[1] === 'number') return words.join('').slice(1);
  const last = path.findLastIndex((part) => typeof part === 'string');
  const table = [first, ...words.slice(1, last)].join('');
  return `[${table}] ${[rest[last - 1], ...words.slice(last + 1)].join('')}`;
}

type SchemaError = ReturnType<typeof Errors>[number];

function messageOf(error: SchemaError, schema: TObject): string {
  if (error.keyword === 'pattern') return `must be: ${describe(schema, error.schemaPath)}`;
  if (error.keyword === 'enum') {
    return `must be one of ${(error.params as { allowedValues: unknown[] }).allowedValues.join(', ')}`;
  }
  if (error.keyword === 'const') {
    return `${MUST_BE}${String((error.params as { allowedValue: unknown }).allowedValue)}`;
  }
  return inWords(error.message);
}

const FORMS: { readonly [message: string]: string } = {
  'must be integer': 'must be a whole number without quotes and units',
  'must be number': 'must be a number without quotes and units',
  'must be string': 'must be a text in quotes',
  'must be boolean': 'must be true or false, without quotes',
  'must be array': 'must be a list in brackets: ["one", "two"]',
  'must be object': 'must be a table',
};

/** Message that says what to write, for a person who knows TOML and no schema. */
const inWords = (message: string): string =>
  FORMS[message] ??
  message.replace(/^must be >= /, 'must be at least ').replace(/^must be <= /, 'must be at most ');

/** Describes a key by its schema, in words; an element without a description of its own gets that of the list. `place`: `#/properties/ws_listener` */
function describe(schema: TObject, place: string): string {
  const at = (path: string) =>
    Pointer.Get(schema, path) as { description?: string; pattern?: string };
  const path = place.slice(1);
  const { description = at(path.replace(/\/items$/, '')).description, pattern } = at(path);
  return description ?? `text of the form ${pattern}`;
}

const MISSING = 'is missing';
const MUST_BE = 'must be exactly ';

/** One problem per key: a union reports each branch, of which the constants are listed, and then itself. */
function mostTelling(problems: readonly Problem[]): Problem[] {
  const byPath = new Map<string, Problem>();
  for (const problem of problems) {
    const id = JSON.stringify(problem.path);
    const earlier = byPath.get(id);
    if (earlier === undefined) byPath.set(id, problem);
    else if (earlier.message.startsWith(MUST_BE) && problem.message.startsWith(MUST_BE)) {
      const message = `${earlier.message} or ${problem.message.slice(MUST_BE.length)}`;
      byPath.set(id, { path: earlier.path, message });
    }
  }
  return [...byPath.values()];
}

const pointerPath = (pointer: string): KeyPath =>
  Pointer.Indices(pointer).map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/** The keys of a table that the schema describes. */
export function pick(schema: TObject, raw: unknown): unknown {
  if (!isTable(raw)) return raw;
  return Object.fromEntries(
    Object.entries(raw).filter(([key]) => Object.hasOwn(schema.properties, key)),
  );
}

/** Tells whether a value is a TOML table. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
