import { type Element, XML } from './parse.ts';

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

export const escapeText = (text: string): string =>
  text.replace(/[&<>\r]/g, (character) => entities[character] as string);

const escapeAttribute = (text: string): string =>
  text.replace(/[&<>"\t\n\r]/g, (character) => entities[character] as string);

/** The beginning of every document. */
export const PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>';

/** An empty element of any namespace, with its declaration. */
export const emptyElement = (uri: string, local: string): string =>
  uri === '' ? `<${local} xmlns=""/>` : `<x:${local} xmlns:x="${escapeAttribute(uri)}"/>`;

type Scope = { readonly [prefix: string]: string };

/** An element with its content, as text that has the same meaning inside any other document. */
export function elementText(element: Element): string {
  const stated = element.attributes.some(({ uri, local }) => uri === XML && local === 'lang');
  const lang =
    !stated && element.lang !== undefined ? ` xml:lang="${escapeAttribute(element.lang)}"` : '';
  return write(element, {}, lang);
}

function write(element: Element, around: Scope, extra = ''): string {
  const { name, attributes, children } = element;
  const fresh = declarations(element, around);
  const scope = { ...around, ...fresh };
  const text = Object.entries(fresh)
    .map(
      ([prefix, uri]) =>
        ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`,
    )
    .concat(attributes.map((given) => ` ${given.name}="${escapeAttribute(given.value)}"`))
    .join('');
  const inner = children
    .map((child) => (typeof child === 'string' ? escapeText(child) : write(child, scope)))
    .join('');
  return inner === '' ? `<${name}${text}${extra}/>` : `<${name}${text}${extra}>${inner}</${name}>`;
}

/** The declarations of the element itself, which its text may use too, and those that it needs from around it. */
function declarations({ name, uri, declared, attributes }: Element, around: Scope): Scope {
  const fresh: Record<string, string> = { ...declared };
  const need = (qualified: string, bound: string) => {
    const colon = qualified.indexOf(':');
    const prefix = colon < 0 ? '' : qualified.slice(0, colon);
    if (prefix !== 'xml' && (fresh[prefix] ?? around[prefix]) !== bound) fresh[prefix] = bound;
  };
  need(name, uri);
  for (const attribute of attributes) {
    if (attribute.prefix !== '') need(attribute.name, attribute.uri);
  }
  return fresh;
}
