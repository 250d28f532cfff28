import { type Exchange, type Kernel, RpcError } from '@svc/plugin-sdk';

/** Who asks: `Authorization: Bearer <credential>`, or `Basic` with key and secret, or user name and password. */
function credentialsOf(field: string | undefined): string[] {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S.*)$/i.exec(field ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return [given.trim()];
  if (scheme === '') return [];
  const pair = Buffer.from(given, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? [] : [pair, `${pair.slice(0, colon)}|${pair.slice(colon + 1)}`];
}

/** True for a credential that is valid now, whatever its rights. */
async function mayRead({ auth }: Kernel<unknown>, exchange: Exchange): Promise<boolean> {
  const { connection, peerAddress: address, request } = exchange;
  for (const credential of credentialsOf(request.headers.authorization)) {
    try {
      const caller = await auth.authenticate(credential, {
        address,
        transport: 'http',
        connection,
      });
      return await auth.allows(caller, { scopes: [], permissions: [], denied: '' });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return false;
}

/** `GET /svc/openrpc.json`: what `rpc.discover` answers. */
export async function answerDocument(
  kernel: Kernel<unknown>,
  exchange: Exchange,
  { document, isPublic }: { readonly document: () => Promise<string>; readonly isPublic: boolean },
): Promise<void> {
  const { method } = exchange;
  const headers = { 'cache-control': 'no-store' };
  if (method !== 'GET' && method !== 'HEAD')
    return exchange.text(405, 'use GET', { ...headers, allow: 'GET, HEAD' });
  if (!isPublic && !(await mayRead(kernel, exchange))) {
    const realm = `Basic realm="${kernel.brand.word}", charset="UTF-8"`;
    return exchange.text(401, 'send a valid credential: Authorization: Bearer KEY:SECRET', {
      ...headers,
      'www-authenticate': realm,
    });
  }
  exchange.text(200, await document(), {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
  });
}
