import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { type Kernel, UserError } from '@svc/plugin-sdk';
import type { MetricsPage } from './page.ts';

/** Readers at a time; Prometheus needs one. */
const MOST_CONNECTIONS = 16;
const REQUEST_MS = 5_000;
const HEADER_BYTES = 8_192;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws UserError for what is no address */
export function addressOf(text: string): Address {
  const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (isIP(host) === 0 || Number(port) > 65_535)
    throw new UserError(`[metrics] listener: '${text}' is no address such as 127.0.0.1:9464`);
  return { host, port: Number(port) };
}

/** Tells whether this machine alone reaches an address. */
export const isLocal = ({ host }: Address): boolean => host === '::1' || host.startsWith('127.');

/** Listens there for a moment. @throws Error where that cannot be */
export async function tryListening(where: Address): Promise<void> {
  const trial = createServer();
  try {
    await once(trial.listen({ ...where, exclusive: true }), 'listening');
  } finally {
    trial.close();
  }
}

/**
 * `/metrics` on a listener of its own, without a credential: anyone who reaches it reads everything. Nothing else is answered there.
 * @throws UserError when the address is none, or taken
 */
export async function listen(
  { defer, log, system }: Kernel<unknown>,
  address: string,
  page: MetricsPage,
): Promise<void> {
  const where = addressOf(address);
  const server = createServer({ maxHeaderSize: HEADER_BYTES }, async (request, response) => {
    // RFC 9112 §3.2, as the main listener has it.
    if ((request.headersDistinct['host']?.length ?? 0) > 1)
      return void response.writeHead(400, { connection: 'close' }).end('Invalid Host header');
    const url = new URL(request.url ?? '/', 'http://metrics');
    try {
      const { status, body, headers } =
        url.pathname === '/metrics'
          ? await page.answer(
              { method: request.method ?? '', url, headers: request.headers },
              system,
            )
          : { status: 404, body: 'only /metrics is here', headers: {} };
      response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
    } catch (error) {
      log.error('metrics could not be read', { error });
      response.writeHead(500).end();
    }
  });
  server.maxConnections = MOST_CONNECTIONS;
  // Their size is bounded; of more than 2,000 the rest would go unseen.
  server.maxHeadersCount = 0;
  server.requestTimeout = REQUEST_MS;
  await new Promise<void>((resolve, reject) => {
    const failed = ({ message }: Error) =>
      reject(new UserError(`[metrics] listener: cannot listen on ${address}: ${message}`));
    server.once('error', failed).listen(where, () => {
      server.off('error', failed);
      resolve();
    });
  });
  defer('metrics listener', () => {
    server.close();
    server.closeAllConnections();
  });
  log[isLocal(where) ? 'info' : 'warn']('whoever reaches this address reads all metrics', {
    url: `http://${address}/metrics`,
  });
}
