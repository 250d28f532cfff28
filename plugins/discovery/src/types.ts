import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { jsonSchema } from './json-schema.ts';
import { comment, membersText, typeText } from './typescript.ts';

/**
 * TypeScript types of these methods: `Methods` and `Subscriptions`, by wire name. Parameters come without the credential.
 * A 64-bit integer is a `number`: beyond 2^53 a client reads the text of the answer itself.
 */
export function typesText(methods: Iterable<RegisteredMethod>, heading: string): string {
  const sorted = [...methods].sort((a, b) => (a.name < b.name ? -1 : 1));
  const calls = sorted.filter(({ definition }) => definition.handle);
  const streams = sorted.filter(({ definition }) => definition.open);
  return `${heading}
/** Calls: what the parameters hold beside the credential, and the result. */
export interface Methods {
${calls.map(methodText).join('')}}

/** Streams: what the parameters hold beside the credential, and one item. */
export interface Subscriptions {
${streams.map(methodText).join('')}}
`;
}

function methodText({ name, definition }: RegisteredMethod): string {
  const { summary, deprecated, params, result, item } = definition;
  const members = Object.entries(params).map(([param, schema]) => ({
    name: param + (Object.hasOwn(schema, '~optional') ? '?' : ''),
    property: jsonSchema(schema),
  }));
  const given = membersText(members, '    ');
  const outcome = result
    ? `result: ${typeText(jsonSchema(result), '    ')}`
    : `item: ${typeText(jsonSchema(item ?? {}), '    ')}`;
  const note = deprecated ? `${summary} @deprecated` : summary;
  return `${comment(note, '  ')}  '${name}': {\n    params: ${given};\n    ${outcome};\n  };\n`;
}
