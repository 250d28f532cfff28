import type { IncomingMessage } from 'node:http';
import type { Exchange } from '@svc/plugin-sdk';

/** Names that scripts never see; cookie, host, origin and referer are theirs to read (worker-route.md §3.3). */
const HIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2|date|dnt|expect|keep-alive|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;
const OVERRIDE = /^x-(?:http-method|http-method-override|method-override)$/;
const BANNED = /^\s*(?:connect|trace|track)\s*$/i;
const PRINTABLE = /^[\t\x20-\x7e]*$/;
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/** `request.url` as the script sees it, without a fragment; undefined when the `Host` header is not valid. */
export function requestUrl({ request, secure }: Exchange): string | undefined {
  const [target = '/'] = (request.url ?? '/').split('#', 1);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const host = hostOf(request);
  return host === undefined ? undefined : `${scheme(request, secure)}://${host}${target}`;
}

/** Undefined when `Host` is not valid, or stands there twice (RFC 9112 §3.2). */
function hostOf({ rawHeaders, headers: { host = 'localhost' } }: IncomingMessage) {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  return count <= 1 && HOST.test(host) ? host : undefined;
}

function scheme({ headers }: IncomingMessage, secure: boolean): string {
  const [first] = String(headers['x-forwarded-proto'] ?? '').split(',');
  const said = first?.trim().toLowerCase();
  if (said === 'http' || said === 'https') return said;
  return secure ? 'https' : 'http';
}

/** Request headers for the script, with the peer's address under the brand's name. */
export function requestHeaders(
  { request: { rawHeaders: raw }, peerAddress }: Exchange,
  peerHeader: string,
): [string, string][] {
  const headers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    const value = String(raw[at + 1]);
    if (name === peerHeader || HIDDEN.test(name) || !PRINTABLE.test(value)) continue;
    if (OVERRIDE.test(name) && value.split(',').some((method) => BANNED.test(method))) continue;
    headers.push([name, value]);
  }
  // IPv4 as such where the listener maps it.
  headers.push([peerHeader, peerAddress.replace(/^::ffff:(?=\d+\.)/i, '')]);
  return headers;
}
