import type { ServerResponse } from 'node:http';
import type { Outcome } from '@svc/plugin-script-quickjs/api';

/** Headers that scripts may set (worker-route.md §4). */
const ALLOWED = new Set([
  'content-type',
  'content-length',
  'cache-control',
  'last-modified',
  'etag',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
]);
/** The server's own; no configuration lets scripts set these. */
const NEVER =
  /^(?:connection|keep-alive|transfer-encoding|upgrade|trailer|te|date|content-length)$/;
/** Headers that a script does not replace where the server sends them itself. */
const OURS = ['x-content-type-options', 'strict-transport-security'];
const POLICY = 'content-security-policy';
/** Headers that reach the other pages of the origin, from which the server's policy keeps the content apart. */
const OF_THE_ORIGIN = ['clear-site-data', 'service-worker-allowed'];
const PRINTABLE = /^[\t\x20-\x7e]*$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Sends what a script answered; the length is the real one, except that HEAD keeps the script's. */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Extract<Outcome, { kind: 'response' }>,
  { method, more }: { readonly method: string; readonly more: readonly string[] },
): void {
  const extra = new Set(more.map((name) => name.toLowerCase()));
  const sent: Record<string, string | string[]> = {};
  let stated: string | undefined;
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (!TOKEN.test(name) || !PRINTABLE.test(value)) continue;
    if (name === 'content-length') stated = value;
    if (NEVER.test(name) || !(ALLOWED.has(name) || extra.has(name))) continue;
    const before = sent[name];
    if (before === undefined) sent[name] = value;
    else sent[name] = name === 'set-cookie' ? [before, value].flat() : `${before}, ${value}`;
  }
  tighten(response, sent);
  // Text leaves in one piece with the head.
  const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  const isHead = method === 'HEAD';
  const shown = isHead && stated !== undefined && /^\d{1,15}$/.test(stated) ? stated : length;
  if (status !== 204 && status !== 304) sent['content-length'] = String(shown);
  response.writeHead(status, sent);
  response.end(isHead ? undefined : body);
}

/** Security headers of a script, which the operator let pass, stand next to those of the server and loosen none. */
function tighten(response: ServerResponse, sent: Record<string, string | string[]>): void {
  for (const name of OURS) if (response.hasHeader(name)) delete sent[name];
  const policy = response.getHeader(POLICY);
  if (policy === undefined) return;
  // Browsers enforce every line of its own.
  sent[POLICY] = [String(policy), sent[POLICY] ?? []].flat();
  for (const name of OF_THE_ORIGIN) delete sent[name];
}
