import type { Clock, Logger } from '@svc/plugin-sdk';
import { acceptedLanguage, type Exchange } from '@svc/plugin-sdk/http';
import type { LivePages } from './live/pages.ts';
import { LANGUAGES, type Language, type Page } from './page.ts';
import { FIRST_RANGE, isRange, type Range } from './ranges.ts';
import type { Records } from './records.ts';
import type { Body, Snapshot, Wanted } from './view/snapshot.ts';
import { isLanguage, wordsOf } from './words/index.ts';

const YEAR_S = 31_536_000;
const ALLOWED = 'GET, HEAD';
const MOST_QUERY = 100;
const UNKNOWN_NOW = 'the state is not known at the moment; ask again in some seconds';

export interface ServeParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly records: Records;
  readonly live: LivePages;
  readonly assets: ReadonlyMap<string, Body>;
}

/** Answers below `/svc/status`. Nothing of what a request says is in an answer. */
export async function serve(exchange: Exchange, parts: ServeParts): Promise<void> {
  const { slug = '', path = '' } = exchange.params;
  const asset = slug === '_' ? parts.assets.get(path) : undefined;
  const page = parts.records.get(slug);
  const wanted = page && wantedOf(path);
  if (!asset && !wanted) return refuse(exchange, 404, wordsFor(exchange).gone);
  if (!/^(?:GET|HEAD)$/.test(exchange.method)) {
    return refuse(exchange, 405, `use one of ${ALLOWED}`, { allow: ALLOWED });
  }
  if (asset) return send(exchange, asset, `public, max-age=${YEAR_S}, immutable`);
  if (page && wanted) await answer(exchange, page, wanted, parts);
}

async function answer(
  exchange: Exchange,
  page: Page,
  wanted: Wanted,
  { clock, live, log }: ServeParts,
): Promise<void> {
  const snapshot = await live.of(page);
  if (snapshot === null) {
    return refuse(exchange, 503, UNKNOWN_NOW, { 'retry-after': '5' });
  }
  const body = await bodyOf(exchange, page, snapshot, wanted, log);
  if (body === null) return refuse(exchange, 503, UNKNOWN_NOW, { 'retry-after': '5' });
  if (!snapshot || !body) return refuse(exchange, 404, wordsFor(exchange).gone);
  // No cache holds it for longer than the server does.
  const left_s = Math.ceil((snapshot.until - clock.now()) / 1_000);
  send(exchange, body, `public, max-age=${Math.max(1, left_s)}`);
}

/** null: the database does not answer now. */
async function bodyOf(
  exchange: Exchange,
  page: Page,
  snapshot: Snapshot | undefined,
  wanted: Wanted,
  log: Logger,
): Promise<Body | undefined | null> {
  try {
    return await snapshot?.body(wanted, languageFor(exchange, page), rangeOf(exchange));
  } catch (error) {
    log.warn('a curve of a status page could not be read', { page: page.slug, error });
    return null;
  }
}

function wantedOf(path: string): Wanted | undefined {
  switch (path) {
    case '':
      return { kind: 'page' };
    case 'feed.xml':
      return { kind: 'rss' };
    case 'feed.json':
      return { kind: 'json' };
    case 'badge.svg':
      return { kind: 'badge' };
    case 'icon.svg':
      return { kind: 'icon' };
    case 'logo':
      return { kind: 'logo' };
  }
  const [, id] = /^incident\/([1-9][0-9]{0,14})$/.exec(path) ?? [];
  if (id !== undefined) return { kind: 'incident', id: Number(id) };
  const [, what, key = ''] = /^(badge|latency)\/([a-z0-9-]{1,20})\.svg$/.exec(path) ?? [];
  if (what === undefined) return undefined;
  return { kind: what === 'badge' ? 'badge-of' : 'latency', key };
}

/** Chooses the language of the address, else of the page, else of the browser. */
function languageFor(exchange: Exchange, { settings }: Page): Language {
  const asked = askedFor(exchange);
  if (asked) return asked;
  if (settings.language !== 'auto') return settings.language;
  return browserLanguage(exchange);
}

const browserLanguage = ({ request }: Exchange): Language =>
  acceptedLanguage(request.headers['accept-language'], LANGUAGES);

function askedFor(exchange: Exchange): Language | undefined {
  const asked = parameter(exchange, 'lang');
  return isLanguage(asked) ? asked : undefined;
}

function rangeOf(exchange: Exchange): Range {
  const asked = parameter(exchange, 'range');
  return isRange(asked) ? asked : FIRST_RANGE;
}

const parameter = ({ query }: Exchange, name: string): string | null =>
  query === '' || query.length > MOST_QUERY ? null : new URLSearchParams(query).get(name);

const wordsFor = (exchange: Exchange) => wordsOf(askedFor(exchange) ?? browserLanguage(exchange));

function send(exchange: Exchange, body: Body, cache: string): void {
  const { request, response } = exchange;
  const takesGzip = /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
    String(request.headers['accept-encoding'] ?? '').slice(0, 300),
  );
  const packed = takesGzip ? body.gzip : undefined;
  const etag = packed ? `"${body.etag}-gz"` : `"${body.etag}"`;
  const headers = {
    'content-type': body.type,
    'content-security-policy': body.policy,
    'cache-control': cache,
    etag,
    vary: 'accept-encoding, accept-language',
    // Public as it is; scripts of other sites may show it.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    // Browsers complain of it where the connection is not encrypted.
    ...(exchange.secure && { 'cross-origin-opener-policy': 'same-origin' }),
    ...(packed && { 'content-encoding': 'gzip' }),
  };
  if (matches(request.headers['if-none-match'], etag)) {
    const { 'content-type': _type, 'content-encoding': _encoding, ...kept } = headers;
    response.writeHead(304, kept).end();
    return;
  }
  exchange.text(200, packed ?? body.bytes, headers);
}

const matches = (field = '', etag: string): boolean =>
  field
    .slice(0, 1_000)
    .split(',')
    .some((item) => ['*', etag, `W/${etag}`].includes(item.trim()));

const refuse = (
  exchange: Exchange,
  status: number,
  why: string,
  headers: { readonly [name: string]: string } = {},
) =>
  exchange.text(status, `${why}\n`, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    ...headers,
  });
