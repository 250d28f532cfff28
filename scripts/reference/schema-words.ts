import type { JsonSchema } from '../../plugins/discovery/src/json-schema.ts';

const LIMITS: { readonly [keyword: string]: (value: unknown) => string } = {
  minLength: (value) => (value === 1 ? 'not empty' : `at least ${value} characters`),
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value} entries`,
  maxItems: (value) => `at most ${value} entries`,
};

/** Limits of a schema that its type does not say: "0 to 255". */
export function limitsText(schema: JsonSchema): string {
  const { anyOf, format, minimum, maximum, pattern } = schema;
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only && others.length === 0) return limitsText(only);
  const parts: string[] = [];
  const isBound = Number(maximum) < Number.MAX_SAFE_INTEGER;
  if (format === 'uuid') return 'UUID';
  if (format === 'int64') return 'integer of 64 bits';
  if (format === 'uint64') return 'integer from 0, of 64 bits';
  if (minimum !== undefined && isBound) parts.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) parts.push(`from ${minimum}`);
  else if (isBound) parts.push(`up to ${maximum}`);
  for (const [keyword, words] of Object.entries(LIMITS))
    if (schema[keyword] !== undefined) parts.push(words(schema[keyword]));
  if (typeof pattern === 'string') parts.push(`matches \`${pattern}\``);
  return parts.join(', ');
}

/** The description, then the limits. */
export function meaning(schema: JsonSchema): string {
  const { description = '' } = schema;
  const limits = limitsText(schema);
  if (limits === '' || schema['format'] !== undefined) return description || capital(limits);
  return `${description} ${capital(limits)}`.trim();
}

const capital = (text: string) => (text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`);
