import type { Auth, Principal, Requirement } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import type { Tokens } from '@svc/plugin-token/api';
import { Refusal } from './answers.ts';

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** User and password of a `Basic` field (RFC 7617); undefined for any other text. */
export function basicOf(field: string | undefined): Credentials | undefined {
  const coded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(field ?? '')?.[1];
  if (coded === undefined) return undefined;
  const bytes = Buffer.from(coded, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  // Node decodes malformed base64 and UTF-8 too. Only well-formed text is encoded to itself again.
  if (colon < 0 || bytes.toString('base64') !== coded || !Buffer.from(text).equals(bytes))
    return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

export interface AccessParts {
  readonly tokens: Tokens;
  readonly auth: Auth;
  /** Name of the protection space. */
  readonly realm: string;
}

/** The caller (static-http.md §B1). @throws Refusal 401 */
export async function authenticate(exchange: Exchange, parts: AccessParts): Promise<Principal> {
  const { request, peerAddress } = exchange;
  const given = basicOf(request.headers.authorization);
  const origin = { address: peerAddress, transport: 'http' } as const;
  const caller = given && (await parts.tokens.basic(given.user, given.password, origin));
  if (caller) {
    exchange.connection.vouch(caller);
    return caller;
  }
  throw new Refusal({
    status: 401,
    headers: { 'www-authenticate': `Basic realm="${parts.realm}"` },
    body: 'Authentication required',
  });
}

const words = ['read', 'write', 'delete', 'list'] as const;

/** Requires all four permissions on files of the bucket, for every method. @throws Refusal 403 */
export async function authorize(caller: Principal, bucket: string, auth: Auth): Promise<void> {
  const requirement: Requirement = {
    scopes: [{ static_bucket: bucket }],
    permissions: words.map((word) => ({ static_bucket_file: word })),
    denied: 'static_bucket_file',
  };
  if (await auth.allows(caller, requirement)) return;
  throw new Refusal({
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Forbidden: insufficient StaticBucketFile permissions',
  });
}
