import { RpcError } from '@svc/plugin-sdk';
import type { Values } from '../kinds/types.ts';

export { present as filled } from '../kinds/build.ts';

/** Fields of a channel, as a URL names them. */
export interface Filled {
  readonly kind: string;
  readonly config: Values;
  readonly secret: Values;
}

/** Parts of a URL whose scheme need not be one of the web: `#` and letters of keys stay as they are. */
export interface Parts {
  /** Scheme in small letters. */
  readonly scheme: string;
  /** Empty: none. */
  readonly user: string;
  readonly password: string;
  /** Host with its port, as written: keys stand there, too. */
  readonly place: string;
  readonly host: string;
  readonly port: string;
  readonly path: readonly string[];
  /** Parameters by name in lower case. */
  readonly query: ReadonlyMap<string, string>;
  /** Text between `://` and `?`. */
  readonly rest: string;
  readonly search: string;
}

export type Reader = (parts: Parts) => Filled;

/** Fault of a URL; the text never holds parts of it, which may be keys. */
export const fault = (text: string): RpcError => RpcError.invalid(`the URL ${text}`);
/** A part that is not there, with the form that has it. */
export const lacks = (part: string, form: string): RpcError =>
  fault(`lacks ${part}; its form is ${form}`);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault('has a % that is followed by no two hexadecimal digits: write %25 for it');
  }
}

/** Splits at the first separator; without one the second part is empty. */
function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Parameters; a `+` stays one, since keys and addresses have it. */
export const pairsOf = (search: string): [string, string][] => [
  ...new URLSearchParams(search.replaceAll('+', '%2B')),
];

/** @throws RpcError 108 */
export function partsOf(text: string): Parts {
  const [scheme, behind] = split(text.trim(), '://');
  if (behind === '' || !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme))
    throw fault('has no scheme: it begins like https:// or ntfy://');
  const [rest, search] = split(behind, '?');
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const at = authority.lastIndexOf('@');
  const [user, password] = split(at < 0 ? '' : authority.slice(0, at), ':');
  const place = authority.slice(at + 1);
  const port = /:(\d{1,5})$/.exec(place)?.[1] ?? '';
  const path = slash < 0 ? [] : rest.slice(slash + 1).split('/');
  return {
    scheme: scheme.toLowerCase(),
    user: decoded(user),
    password: decoded(password),
    place: decoded(place),
    host: port === '' ? place : place.slice(0, -port.length - 1),
    port,
    path: path.filter((part) => part !== '').map(decoded),
    query: new Map(pairsOf(search).map(([name, value]) => [name.toLowerCase(), value])),
    rest,
    search,
  };
}

const LOCAL = /^(?:localhost|\[.*\]|[\d.]+|[^.]+|.*\.(?:local|lan|internal|home\.arpa))$/i;
export const isYes = (text: string | undefined): boolean => /^(?:yes|true|1)$/i.test(text ?? '');

/** Schemes of Shoutrrr alone, which are `https` unless they say otherwise. */
const HTTPS = /s$|^(?:mattermost|rocketchat)$/;

/**
 * Address of a server. Of schemes that both have, Apprise means `http` and Shoutrrr `https`: it is `http` for hosts of the
 * own network and where a port is named, else `https`.
 */
export function webAddress(parts: Parts, path: readonly string[] = []): string {
  const { scheme, host, port, query } = parts;
  const named = query.get('scheme');
  const isPlain = !HTTPS.test(scheme) && (port !== '' || LOCAL.test(host));
  const isHttp =
    isYes(query.get('disabletls')) || (named === undefined ? isPlain : named === 'http');
  const behind = path.length === 0 ? '' : `/${path.map(encodeURIComponent).join('/')}`;
  return `${isHttp ? 'http' : 'https'}://${host}${port === '' ? '' : `:${port}`}${behind}`;
}

/** The only one of several: a channel sends to one place. */
export function onlyOne(found: readonly string[], part: string, form: string): string {
  const [first, second] = found.filter((one) => one !== '');
  if (first === undefined) throw lacks(part, form);
  if (second !== undefined)
    throw fault(`names more than one place: make a channel for each, with ${part} of its own`);
  return first;
}

/** Parts of a list with commas. */
export const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
