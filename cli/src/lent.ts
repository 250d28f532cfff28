import { hostname } from 'node:os';
import { createClient, RpcError } from '@svc/client';

/** A session of a server: a credential that ends by itself. */
export interface Lent {
  /** `key:secret` */
  readonly token: string;
  /** Unix ms. */
  readonly ends_at: number;
}

/** Hours of a session: as long as servers allow, so that a user logs in once a month. */
const LOGIN_HOURS = 720;

/** A session for this credential; undefined where the server has none to give: another kind of server, or the credential is one. */
export async function lend(url: string, token: string): Promise<Lent | undefined> {
  const name = `svc on ${hostname()}`.slice(0, 100);
  const client = createClient(url, { token, transport: 'http', timeout_ms: 10_000 });
  try {
    const { key, secret, ends_at } = await client.call('session_create', {
      name,
      hours: LOGIN_HOURS,
    });
    return { ends_at, token: `${key}:${secret}` };
  } catch (error) {
    if (error instanceof RpcError && (error.code === 102 || error.code === -32601))
      return undefined;
    throw error;
  }
}
