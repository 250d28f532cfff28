import type { IncomingMessage } from 'node:http';
import type { Exchange } from '@svc/plugin-sdk/http';

/** Names that scripts never see; cookie, host, origin and referer are theirs to read (worker-route.md §3.3). */
const HIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2|date|dnt|expect|keep-alive|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;
const OVERRIDE = /^x-(?:http-method|http-method-override|method-override)$/;
const BANNED = /^\s*(?:connect|trace|track)\s*$/i;
const PRINTABLE = /^[\t\x20-\x7e]*$/;
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/**
 * `request.url` as the script sees it, without a fragment; undefined when the `Host` header is not valid. The host of a
 * target in absolute form counts from a trusted proxy only.
 */
export function requestUrl({ connection, request, secure }: Exchange): string | undefined {
  const [target = '/'] = (request.url ?? '/').split('#', 1);
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target)?.[0] ?? '';
  if (origin !== '' && connection.forwarded) return target;
  const host = hostOf(request);
  const path = target.slice(origin.length).replace(/^(?=\?|$)/, '/');
  return host === undefined ? undefined : `${secure ? 'https' : 'http'}://${host}${path}`;
}

/** Undefined when `Host` is not valid, or stands there twice (RFC 9112 §3.2). */
function hostOf({ rawHeaders, headers: { host = 'localhost' } }: IncomingMessage) {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  return count <= 1 && HOST.test(host) ? host : undefined;
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
