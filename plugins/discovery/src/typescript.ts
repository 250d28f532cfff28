import type { JsonSchema } from './json-schema.ts';

/** Longest type that stays on one line. */
const LINE = 100;

/** A TypeScript type of what the schema accepts. `indent` is that of the line on which the type begins. */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { anyOf, enum: values, const: value, items } = schema;
  if (anyOf) return unionText(anyOf, indent);
  if (values) return values.map(literal).join(' | ');
  if (value !== undefined) return literal(value);
  if (Array.isArray(items)) return `[${items.map((item) => typeText(item, indent)).join(', ')}]`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return arrayText((items ?? {}) as JsonSchema, indent);
    case 'object':
      return objectText(schema, indent);
    default:
      return 'unknown';
  }
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : JSON.stringify(value);

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function unionText(variants: readonly JsonSchema[], indent: string): string {
  const texts = [...new Set(variants.map((variant) => typeText(variant, `${indent}  `)))];
  if (texts.includes('unknown')) return 'unknown';
  const line = texts.join(' | ');
  if (texts.length < 3 || (!line.includes('\n') && line.length <= LINE)) return line;
  return texts.map((text) => `\n${indent}  | ${text}`).join('');
}

function arrayText(items: JsonSchema, indent: string): string {
  const text = typeText(items, indent);
  const isUnion = (items.anyOf ?? items.enum ?? []).length > 1;
  return isUnion ? `(${text})[]` : `${text}[]`;
}

function objectText(schema: JsonSchema, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
  const members = Object.entries(properties).map(([name, property]) => ({
    name: memberName(name) + (required.includes(name) ? '' : '?'),
    property,
  }));
  const rest = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  if (typeof rest === 'object') members.push({ name: '[name: string]', property: rest });
  if (members.length === 0) return '{ [name: string]: unknown }';
  return membersText(members, indent);
}

interface Member {
  /** Name with its question mark. */
  readonly name: string;
  readonly property: JsonSchema;
}

/** An object type: on one line when it is short and nothing is described. */
export function membersText(members: readonly Member[], indent: string): string {
  if (members.length === 0) return '{}';
  const inner = `${indent}  `;
  const texts = members.map(({ name, property }) => `${name}: ${typeText(property, inner)}`);
  const line = `{ ${texts.join('; ')} }`;
  const isPlain = members.every(({ property }) => noteOf(property) === '');
  if (isPlain && !line.includes('\n') && line.length <= LINE) return line;
  const lines = members.map(
    ({ property }, at) => `${comment(noteOf(property), inner)}${inner}${texts[at]};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

/** The description; that of a format says nothing more than its name. */
const noteOf = ({ description = '', format }: JsonSchema): string =>
  format === undefined ? description : '';

export const comment = (text: string, indent: string): string =>
  text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

export const memberName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
