import type { JsonSchema } from './json-schema.ts';

const SOME_UUID = '00000000-0000-4000-8000-000000000000';

/** A value that fits the schema, for methods without an example; texts are `<name>`. */
export function sampleOf(name: string, schema: JsonSchema): unknown {
  const { anyOf, enum: values, const: value, items, properties = {}, required = [] } = schema;
  if (anyOf) return sampleOf(name, anyOf[0] ?? {});
  if (values) return values[0];
  if (value !== undefined) return value;
  if (Array.isArray(items)) return items.map((item) => sampleOf(name, item));
  switch (schema.type) {
    case 'string':
      return schema['format'] === 'uuid' ? SOME_UUID : `<${name}>`;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 0;
    case 'boolean':
      return false;
    case 'array':
      return [sampleOf(name, (items ?? {}) as JsonSchema)];
    case 'object':
      return Object.fromEntries(
        required.map((member) => [member, sampleOf(member, properties[member] ?? {})]),
      );
    default:
      return null;
  }
}
