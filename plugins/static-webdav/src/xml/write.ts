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

/** Namespaces by their prefixes; what an element declares hides what stands around it. */
interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly around: Scope | undefined;
}

/** Looks outwards instead of copying each time: an element may stand among thousands of declarations. */
function boundTo(prefix: string, scope: Scope | undefined): string | undefined {
  for (let at = scope; at; at = at.around) {
    const uri = at.own.get(prefix);
    if (uri !== undefined) return uri;
  }
  return undefined;
}

/** An element with its content, as text that has the same meaning inside any other document. */
export function elementText(element: Element): string {
  const stated = element.attributes.some(({ uri, local }) => uri === XML && local === 'lang');
  const lang =
    !stated && element.lang !== undefined ? ` xml:lang="${escapeAttribute(element.lang)}"` : '';
  return write(element, undefined, lang);
}

function write(element: Element, around: Scope | undefined, extra = ''): string {
  const { name, attributes, children } = element;
  const fresh = declarations(element, around);
  const scope = fresh.size === 0 ? around : { own: fresh, around };
  const text = [...fresh]
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
function declarations(
  { name, uri, declared, attributes }: Element,
  around: Scope | undefined,
): Map<string, string> {
  const fresh = new Map(Object.entries(declared));
  const need = (qualified: string, bound: string) => {
    const colon = qualified.indexOf(':');
    const prefix = colon < 0 ? '' : qualified.slice(0, colon);
    if (prefix !== 'xml' && (fresh.get(prefix) ?? boundTo(prefix, around)) !== bound)
      fresh.set(prefix, bound);
  };
  need(name, uri);
  for (const attribute of attributes) {
    if (attribute.prefix !== '') need(attribute.name, attribute.uri);
  }
  return fresh;
}
