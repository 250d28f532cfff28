import type { IncomingMessage } from 'node:http';
import type { Header, HttpSpec } from '../types.ts';

/** Request of one step on the way through redirects. */
export interface Hop {
  readonly url: URL;
  /** Upper case. */
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body: string | undefined;
}

/** Headers that the connection determines. */
const FRAMING =
  /^(?:content-length|transfer-encoding|expect|te|trailer|keep-alive|proxy-connection)$/i;
/** Headers that other origins get, too: any other may hold a secret. */
const HARMLESS = /^(?:accept|accept-language|accept-encoding|cache-control|user-agent)$/i;

/** Returns the first request of a check. @throws Error for a URL that is none */
export function firstHop(spec: HttpSpec): Hop {
  const url = new URL(spec.url);
  const headers = spec.headers.filter(([name]) => !FRAMING.test(name));
  const authorization = credentials(spec.auth, url);
  if (authorization) headers.push(['authorization', authorization]);
  return { url, headers, method: spec.method.toUpperCase(), body: spec.body };
}

function credentials(auth: HttpSpec['auth'], { username, password }: URL): string | undefined {
  if (auth?.type === 'bearer') return `Bearer ${auth.token}`;
  if (auth) return basic(auth.user, auth.password);
  if (username === '' && password === '') return undefined;
  return basic(decodeURIComponent(username), decodeURIComponent(password));
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/**
 * Returns the request that a redirect asks for; undefined for an answer without redirect. What belongs to one origin stays there,
 * also when a later redirect leads back. @throws Error for a redirect that is not followed
 */
export function redirected(
  hop: Hop,
  { statusCode = 0, headers }: IncomingMessage,
): Hop | undefined {
  // Node reads header bytes as latin1; servers write UTF-8.
  const location = Buffer.from(headers.location ?? '', 'latin1').toString('utf8');
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && headers.location;
  if (!isRedirect || !URL.canParse(location, hop.url.href)) return undefined;
  const url = new URL(location, hop.url);
  const isElsewhere = url.origin !== hop.url.origin;
  const becomesGet = statusCode <= 303 && !/^(?:GET|HEAD)$/.test(hop.method);
  const kept = hop.headers.filter(
    ([name]) => !(becomesGet && /^content-/i.test(name)) && !(isElsewhere && !HARMLESS.test(name)),
  );
  if (becomesGet) return { url, headers: kept, method: 'GET', body: undefined };
  if (isElsewhere && hop.body !== undefined)
    throw new Error(
      'a redirect leads to another origin, which does not get the body of the request',
    );
  return { ...hop, url, headers: kept };
}

/** Returns the headers of a request as Node takes them. */
export function linesOf({ url, headers }: Hop, user_agent: string): Record<string, string[]> {
  const lines: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    lines[key] = [...(lines[key] ?? []), value];
  }
  lines['host'] ??= [url.host];
  lines['user-agent'] ??= [user_agent];
  lines['accept'] ??= ['*/*'];
  lines['accept-encoding'] ??= ['identity'];
  return lines;
}
