import type { Kernel } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { callerOf } from '@svc/plugin-sdk/util';

/** Tells whether a credential is valid now, whatever its rights. */
async function mayRead({ auth }: Kernel<unknown>, exchange: Exchange): Promise<boolean> {
  const caller = await callerOf(auth, exchange);
  return !!caller && auth.allows(caller, { scopes: [], permissions: [], denied: '' });
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
