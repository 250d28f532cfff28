import { didYouMean } from '@svc/plugin-sdk/util';
import { FILTERS, type Filter, type TemplateOptions } from './filters.ts';

export type { TemplateOptions } from './filters.ts';

/** Values by name; times are Unix ms. */
export type TemplateValues = Readonly<Record<string, string | number | null>>;

interface Use {
  readonly name: string;
  readonly filters: readonly { readonly filter: Filter; readonly argument: string }[];
}

/** Text and values in turn. */
export type Template = readonly (string | Use)[];

export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Place of the fault in the text, in UTF-16 units. */
  readonly at: number;

  constructor(message: string, at = 0) {
    super(message);
    this.at = at;
  }
}

const [OPEN, CLOSE] = ['{{', '}}'];

/** Reads `text {{name|filter:argument}}`. @throws TemplateError that says what to change */
export function parseTemplate(text: string, names: readonly string[]): Template {
  const parts: (string | Use)[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf(OPEN, at);
    if (open < 0) break;
    const close = text.indexOf(CLOSE, open);
    if (close < 0)
      throw new TemplateError(`'${text.slice(open, open + 40)}' has no end: write }}`, open);
    parts.push(text.slice(at, open), use(text.slice(open + OPEN.length, close), names, open));
    at = close + CLOSE.length;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== '');
}

function use(text: string, names: readonly string[], at: number): Use {
  const [name = '', ...rest] = text.split('|').map((part) => part.trim());
  if (!names.includes(name))
    throw new TemplateError(
      `'{{${name.slice(0, 40)}}}' names nothing that there is${didYouMean(name, names)}; names are: ${names.join(', ')}`,
      at,
    );
  return { name, filters: rest.map((filter) => filterOf(filter, at)) };
}

function filterOf(text: string, at: number): Use['filters'][number] {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon).trim();
  const argument = colon < 0 ? '' : text.slice(colon + 1).trim();
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined)
    throw new TemplateError(
      `'|${name.slice(0, 40)}' is no filter${didYouMean(name, Object.keys(FILTERS))}; filters are: ${Object.keys(FILTERS).join(', ')}`,
      at,
    );
  const fault = filter.fault?.(argument);
  if (fault !== undefined) throw new TemplateError(fault, at);
  return { filter, argument };
}

/** The text with its values; a value that is not there is empty. */
export function fillTemplate(
  template: Template,
  values: TemplateValues,
  options: TemplateOptions,
): string {
  return template
    .map((part) => (typeof part === 'string' ? part : filled(part, values, options)))
    .join('');
}

function filled({ name, filters }: Use, values: TemplateValues, options: TemplateOptions): string {
  let value = values[name] ?? '';
  for (const { filter, argument } of filters) value = filter.apply(value, argument, options);
  return `${value}`;
}
