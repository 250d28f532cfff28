import type { Auth } from '../auth.ts';
import { RpcError } from '../errors.ts';
import type { Exchange } from '../http/contract.ts';
import type { Principal } from '../principal.ts';

/** Credentials that `Authorization` may hold: `Bearer <credential>`, or `Basic` with key and secret, or user name and password. */
function credentialsOf(field: string | undefined): string[] {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S.*)$/i.exec(field ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return [given.trim()];
  if (scheme === '') return [];
  const pair = Buffer.from(given, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? [] : [pair, `${pair.slice(0, colon)}|${pair.slice(colon + 1)}`];
}

/**
 * Principal that sends an HTTP request, for routes of plugins; undefined: no credential, or none that is known. Rights, and
 * whether the credential is valid now, are for `Auth.allows` to say.
 */
export async function callerOf(
  auth: Auth,
  { connection, peerAddress: address, request }: Exchange,
): Promise<Principal | undefined> {
  for (const credential of credentialsOf(request.headers.authorization)) {
    try {
      return await auth.authenticate(credential, { address, transport: 'http', connection });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return undefined;
}
