import { createHash } from 'node:crypto';
import type { Field, HttpRequest, Pairs, Rendered, Values } from './types.ts';

type Extra = Partial<Omit<Field, 'name' | 'title' | 'required' | 'secret'>>;
const made =
  (required: boolean, secret: boolean) =>
  (name: string, title: string, extra: Extra = {}): Field => ({
    name,
    title,
    type: 'text',
    required,
    secret,
    ...extra,
  });

/** Makers of fields. */
export const needed = made(true, false);
export const optional = made(false, false);
export const secret = made(true, true);
export const optionalSecret = made(false, true);

/** Field of the server's address, for receivers that people run themselves; `as` says how it is used. */
export const server = (
  standard: string | undefined,
  example: string,
  as: 'base' | 'whole' = 'base',
): Field =>
  (standard === undefined ? needed : optional)('server', 'Server', {
    type: 'url',
    host: true,
    ...(as === 'base' && { base: true }),
    example,
    ...(standard === undefined ? {} : { default: standard }),
  });

export const textOf = (values: Values, name: string): string => {
  const value = values[name];
  return value === undefined || value === null ? '' : String(value);
};

export const listOf = (values: Values, name: string): string[] => {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
};

/** Those of the people whom a message calls: an open critical one does; undefined: nobody. */
export const calledBy = ({ severity, state }: Rendered, people: string[]): string[] | undefined =>
  severity === 'critical' && state === 'open' && people.length > 0 ? people : undefined;

/** Address of the server without a slash at its end. */
export const serverOf = (values: Values, standard = ''): string =>
  (textOf(values, 'server') || standard).replace(/\/$/, '');

/** Request with a JSON body. */
export const json = (url: string, body: unknown, headers: Pairs = []): HttpRequest => ({
  url,
  method: 'POST',
  headers: [['content-type', 'application/json'], ...headers],
  body: JSON.stringify(body),
});

/** Header that a token, or a user and a password, make; none without both. */
export function authorization(values: Values): Pairs {
  const token = textOf(values, 'token');
  if (token !== '') return [['authorization', `Bearer ${token}`]];
  const user = textOf(values, 'user');
  if (user === '') return [];
  const pair = Buffer.from(`${user}:${textOf(values, 'password')}`).toString('base64');
  return [['authorization', `Basic ${pair}`]];
}

/** Members without those that are empty. */
export function present<T>(members: { readonly [name: string]: T }): Record<string, T> {
  const isThere = ([, value]: [string, T]) => value !== undefined && value !== '';
  return Object.fromEntries(Object.entries(members).filter(isThere));
}

const COLOURS = { critical: 0xd3_2f_2f, warning: 0xf9_a8_25, info: 0x19_76_d2 } as const;
const [OVER, ACKED] = [0x2e_7d_32, 0x75_75_75];

/** Colour of a message, as a number `0xRRGGBB`. */
export const colourOf = ({ state, severity }: Rendered): number =>
  state === 'over' ? OVER : state === 'acked' ? ACKED : COLOURS[severity];

export const hexOf = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;

/** The lines below the title, and the links as text. */
export const withLinks = ({ lines, links }: Rendered): string =>
  [...lines, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n');

/** Title, lines and links as one plain text. */
export const wholeText = (message: Rendered): string =>
  [message.title, withLinks(message)].filter((part) => part !== '').join('\n');

/** Id of what the message is about: the only alert, or the group. */
export const threadOf = ({ message, alerts }: Rendered): string => {
  const only = alerts.length === 1 && message.more === 0 ? alerts[0]?.alert.id : undefined;
  return only ?? message.group.key;
};

/** Short id of letters and digits, for receivers that take no others. */
export const shortId = (id: string): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, 22);
