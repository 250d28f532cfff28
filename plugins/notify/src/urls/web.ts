import {
  type Filled,
  fault,
  filled,
  isYes,
  lacks,
  type Parts,
  pairsOf,
  type Reader,
} from './parts.ts';
import { serviceOf } from './services.ts';

/** Parameters of Shoutrrr's and Apprise's own. */
const OWN =
  /^(?:template|contenttype|disabletls|messagekey|titlekey|requestmethod|method|format|overflow|verify|rto|cto)$/i;

/** Webhook at an address; its query is secret, since keys stand there. */
function webhook(url: URL): Filled {
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const query = url.search.slice(1);
  for (const part of ['username', 'password', 'search', 'hash'] as const) url[part] = '';
  return {
    kind: 'webhook',
    config: filled({ url: url.href, user }),
    secret: filled({ password, query }),
  };
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw fault('is no address of the web: its form is https://HOST/PATH');
  return new URL(text);
}

/** `json://HOST/PATH`, `generic://HOST/PATH`: parameters with a sign before their name are orders, the others belong to the address. */
function generic({ scheme, rest, query, search }: Parts): Filled {
  const method = query.get('method') ?? query.get('requestmethod') ?? 'POST';
  if (method.toUpperCase() !== 'POST') throw fault('asks for another method than POST');
  if (rest === '') throw lacks('the host', `${scheme}://HOST/PATH`);
  const isOff = isYes(query.get('disabletls'));
  const url = urlOf(`${isOff || scheme === 'json' ? 'http' : 'https'}://${rest}`);
  const orders = pairsOf(search);
  const header = orders.find(([name]) => /^[+@]/.test(name));
  const left = orders.filter(([name]) => !/^[+@$:-]/.test(name) && !OWN.test(name));
  url.search = new URLSearchParams(left).toString();
  const made = webhook(url);
  if (header === undefined) return made;
  const [name, value] = header;
  return { ...made, secret: { ...made.secret, header: `${name.slice(1)}: ${value}` } };
}

/** An address of the web: that of a known service, else a webhook. */
function web({ scheme, rest, search }: Parts): Filled {
  const plain = scheme.replace(/^generic\+/, '');
  const url = urlOf(`${plain}://${rest}${search === '' ? '' : `?${search}`}`);
  return (scheme === plain ? serviceOf(url) : undefined) ?? webhook(url);
}

export const WEB: { readonly [scheme: string]: Reader } = {
  json: generic,
  jsons: generic,
  generic,
  'generic+https': web,
  'generic+http': web,
  https: web,
  http: web,
};
