import {
  fillTemplate,
  parseTemplate,
  type Template,
  TemplateError,
  type TemplateOptions,
  type TemplateValues,
} from './index.ts';

const MOST_DEPTH = 20;

/** JSON whose strings are templates. */
export type JsonTemplate =
  | { readonly text: Template }
  | { readonly list: readonly JsonTemplate[] }
  | { readonly members: readonly (readonly [name: string, value: JsonTemplate])[] }
  | { readonly value: number | boolean | null };

/** Reads a JSON document first and its strings then, so that no value can end a string. @throws TemplateError */
export function parseJsonTemplate(text: string, names: readonly string[]): JsonTemplate {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TemplateError(`the template is no JSON: ${(error as Error).message}`);
  }
  return parsed(value, names, 0);
}

function parsed(value: unknown, names: readonly string[], depth: number): JsonTemplate {
  if (depth > MOST_DEPTH)
    throw new TemplateError(`the template is nested deeper than ${MOST_DEPTH}`);
  if (typeof value === 'string') return { text: parseTemplate(value, names) };
  if (Array.isArray(value)) return { list: value.map((one) => parsed(one, names, depth + 1)) };
  if (typeof value !== 'object' || value === null)
    return { value: value as number | boolean | null };
  const members = Object.entries(value).map(
    ([name, one]) => [name, parsed(one, names, depth + 1)] as const,
  );
  return { members };
}

/** The document with its values. */
export function fillJson(
  template: JsonTemplate,
  values: TemplateValues,
  options: TemplateOptions,
): unknown {
  const inner = (one: JsonTemplate) => fillJson(one, values, options);
  if ('text' in template) return fillTemplate(template.text, values, options);
  if ('list' in template) return template.list.map(inner);
  if ('value' in template) return template.value;
  return Object.fromEntries(template.members.map(([name, one]) => [name, inner(one)]));
}
