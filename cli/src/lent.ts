import { hostname } from 'node:os';
import { createClient, RpcError } from '@svc/client';

/** A session of a server: a credential that ends by itself. */
export interface Lent {
  /** `key:secret` */
  readonly token: string;
  readonly key: string;
  /** Unix ms. */
  readonly ends_at: number;
}

const timeout_ms = 10_000;
const call = (url: string, token: string) =>
  createClient(url, { token, transport: 'http', timeout_ms });

/** A session for this credential; undefined where the server has none to give: another kind of server, or the credential is one. */
export async function lend(
  url: string,
  token: string,
  { purpose, hours }: { readonly purpose: string; readonly hours: number },
): Promise<Lent | undefined> {
  const name = `${purpose} on ${hostname()}`.slice(0, 100);
  try {
    const { key, secret, ends_at } = await call(url, token).call('session_create', { name, hours });
    return { key, ends_at, token: `${key}:${secret}` };
  } catch (error) {
    if (error instanceof RpcError && (error.code === 102 || error.code === -32601))
      return undefined;
    throw error;
  }
}

/** It is good for nothing any more. */
export async function giveBack(url: string, { token, key }: Lent): Promise<void> {
  try {
    await call(url, token).call('session_revoke', { key });
  } catch (error) {
    // Its token went meanwhile, and the session with it.
    if (!(error instanceof RpcError)) throw error;
  }
}
