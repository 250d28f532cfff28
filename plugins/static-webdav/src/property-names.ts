import { APACHE, DAV, live, MICROSOFT, nameOf } from './live-properties.ts';
import { davChildren, type Element, elementsOf, isDav } from './xml/parse.ts';
import { emptyElement } from './xml/write.ts';

const prefixes: { readonly [uri: string]: string } = {
  [DAV]: 'D',
  [APACHE]: 'A',
  [MICROSOFT]: 'Z',
};

/** Namespace and local part of `{namespace}local`. */
function splitName(name: string): readonly [uri: string, local: string] {
  const end = name.lastIndexOf('}');
  return [name.slice(1, end), name.slice(end + 1)];
}

/** An empty element for a property. The answer's root declares the prefixes of known namespaces. */
export function emptyProperty(name: string): string {
  const [uri, local] = splitName(name);
  const prefix = prefixes[uri];
  return prefix ? `<${prefix}:${local}/>` : emptyElement(uri, local);
}

/** A live property with its value. */
export function liveElement(name: string, inner: string): string {
  const [uri, local] = splitName(name);
  const tag = `${prefixes[uri]}:${local}`;
  return `<${tag}>${inner}</${tag}>`;
}

export const propertyName = ({ uri, local }: Element): string => nameOf(uri, local);

/** Properties that a PROPFIND asks for. With `all`, `names` holds the properties that are included. */
export interface Asked {
  readonly kind: 'all' | 'names' | 'some';
  readonly names: readonly string[];
}

/** Largest number of names in one request: each name takes time for every member of a collection. */
const MAX_NAMES = 500;

/** Reads the body of a PROPFIND; none asks for all properties (RFC 4918 §9.1). @returns undefined when it is malformed or long */
export function askedOf(root: Element | undefined, isMicrosoft: boolean): Asked | undefined {
  if (!root) return { kind: 'all', names: inAll(isMicrosoft) };
  if (!isDav(root, 'propfind')) return undefined;
  const [prop] = davChildren(root, 'prop');
  const [include] = davChildren(root, 'include');
  const isAll = davChildren(root, 'allprop').length > 0;
  const isNames = davChildren(root, 'propname').length > 0;
  if (Number(prop !== undefined) + Number(isAll) + Number(isNames) !== 1) return undefined;
  const named = (element: Element | undefined) =>
    element ? elementsOf(element).map(propertyName) : [];
  if (named(prop ?? include).length > MAX_NAMES) return undefined;
  if (prop) return { kind: 'some', names: [...new Set(named(prop))] };
  if (isNames) return { kind: 'names', names: inAll(isMicrosoft) };
  return { kind: 'all', names: [...new Set([...inAll(isMicrosoft), ...named(include)])] };
}

const inAll = (isMicrosoft: boolean): string[] =>
  [...live]
    .filter(
      ([, { inAll: clients }]) =>
        clients === 'every client' || (isMicrosoft && clients === 'Microsoft clients'),
    )
    .map(([name]) => name);
