import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';

/** One element of a request body; namespaces are resolved. */
export interface Element {
  readonly uri: string;
  readonly local: string;
  /** Name as written, with its prefix. */
  readonly name: string;
  /** Prefixes that this element itself declares; `''` is the default namespace. */
  readonly declared: { readonly [prefix: string]: string };
  /** Attributes without the declarations. */
  readonly attributes: readonly SaxesAttributeNS[];
  /** `xml:lang` of this element or of the nearest one around it. */
  readonly lang: string | undefined;
  readonly children: readonly (Element | string)[];
}

/** Error for a body that is not acceptable XML. */
export class BadXml extends Error {
  override readonly name = 'BadXml';
}

const XMLNS = 'http://www.w3.org/2000/xmlns/';
export const XML = 'http://www.w3.org/XML/1998/namespace';
/** Largest depth of elements. Requests of the standard need six. */
const MAX_DEPTH = 64;
/**
 * Largest sum of the names in one body, each with its namespace and language: those that are said once may belong to thousands
 * of names, and what is stored or answered says them with each.
 */
const MAX_NAMES = 131_072;

type Open = Element & { readonly children: (Element | string)[] };

/**
 * The root element of a body of bounded size (RFC 4918 §8.2). A document type is refused, so the only entities are the
 * five of XML.
 * @throws BadXml
 */
export function parseXml(bytes: Uint8Array): Element {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: Open[] = [];
  let root: Element | undefined;
  let names = 0;
  const text = (piece: string) => void open.at(-1)?.children.push(piece);
  parser.on('error', (error) => {
    throw new BadXml(error.message);
  });
  parser.on('doctype', () => {
    throw new BadXml('a document type is not accepted');
  });
  parser.on('opentag', (tag) => {
    if (open.length >= MAX_DEPTH) throw new BadXml('elements are nested too deeply');
    const element = elementOf(tag, open.at(-1)?.lang);
    for (const { uri, local } of [element, ...element.attributes])
      names += uri.length + local.length;
    names += element.lang?.length ?? 0;
    if (names > MAX_NAMES) throw new BadXml('the names are too long');
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', text);
  parser.on('cdata', text);
  parser.write(textOf(bytes)).close();
  if (!root) throw new BadXml('no element');
  return root;
}

function elementOf({ uri, local, name, ns, attributes }: SaxesTagNS, lang?: string): Open {
  // Only the default namespace can be undeclared (Namespaces in XML 1.0 §3).
  const unbound = Object.entries(ns).find(([prefix, bound]) => prefix !== '' && bound === '');
  if (unbound) throw new BadXml('a prefix is bound to nothing');
  const own = Object.values(attributes).filter((attribute) => attribute.uri !== XMLNS);
  const stated = own.find((attribute) => attribute.uri === XML && attribute.local === 'lang');
  return {
    uri,
    local,
    name,
    declared: { ...ns },
    attributes: own,
    lang: stated?.value ?? lang,
    children: [],
  };
}

/** UTF-8, or UTF-16 with a byte order mark (RFC 4918 §8.2). */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BadXml('text in no known encoding', { cause });
  }
}

/** The child elements, without the text between them. */
export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((child): child is Element => typeof child !== 'string');

/** Child elements with this name in `DAV:`. */
export const davChildren = (element: Element, local: string): Element[] =>
  elementsOf(element).filter((child) => child.uri === 'DAV:' && child.local === local);

export const isDav = (element: Element, local: string): boolean =>
  element.uri === 'DAV:' && element.local === local;

/** Text directly in an element. */
export const textIn = ({ children }: Element): string =>
  children.filter((child) => typeof child === 'string').join('');
