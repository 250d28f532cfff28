import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Logger } from '@svc/plugin-sdk';
import { atFirstRead } from '../quirks.ts';
import type { Wiring } from '../wiring.ts';
import { HttpExchange } from './exchange.ts';
import { BAD_HOST, hasSoundHost } from './host.ts';

/** Time after which an idle keep-alive connection is closed: later than proxies do it (Caddy 120 s, Traefik 90 s, nginx 60 s), who else send a request into a connection that closes. */
const KEEP_ALIVE_MS = 150_000;
const HEADERS_MS = 120_000;
/** TLS 1.2 with forward secrecy and authenticated encryption only; versions after it have nothing else. */
const CIPHERS =
  'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL';

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The one request handler behind every listener. */
export function createRequestHandler({ hooks, log, maxRequestBytes }: Wiring): RequestListener {
  const onError = (error: Error) => log.debug('response failed', { error });
  return (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new HttpExchange(request, response, maxRequestBytes);
    response.on('error', onError);
    // In callback form a request whose taps do not wait needs no promise.
    hooks.request.callAsync(exchange, (error, answered) => {
      if (!error) {
        if (!answered) exchange.text(404, 'Not found');
        return;
      }
      if (response.destroyed) return;
      log.error('request failed', { method: exchange.method, path: exchange.path, error });
      exchange.text(500, 'Internal server error');
    });
  };
}

/** TLS as this server speaks it, with this certificate. HTTP/1.1 only. */
export const secured = (tls: ServerOptions): ServerOptions => ({
  ...tls,
  ALPNProtocols: ['http/1.1'],
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
});

/** A server without a listening socket yet. HTTP/1.1 only; TLS when options are given. */
export function createHttpServer(options: {
  onRequest: RequestListener;
  onUpgrade: UpgradeHandler;
  log: Logger;
  tls?: ServerOptions | undefined;
}): Server {
  const { tls, log, onUpgrade } = options;
  const onRequest: RequestListener = (request, response) => {
    if (hasSoundHost(request)) return options.onRequest(request, response);
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': BAD_HOST.length,
      connection: 'close',
    };
    return void response.writeHead(400, headers).end(BAD_HOST);
  };
  const made = tls ? createSecureServer(secured(tls), onRequest) : createServer(onRequest);
  const server = made as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  // Their size is bounded. Of more than 2,000 the rest would go unseen, a second Host among them.
  server.maxHeadersCount = 0;
  // A large upload over a slow line takes long; its own handler bounds it.
  server.requestTimeout = 0;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (hasSoundHost(request)) onUpgrade(request, socket, head);
    else socket.end(`${BAD_REQUEST}${BAD_HOST}`);
  });
  server.on('checkContinue', (request, response) => {
    // A refusal spares the client its upload: 100 goes out when the body is read (RFC 9110 §10.1.1).
    atFirstRead(request, () => {
      if (!response.headersSent) response.writeContinue();
    });
    onRequest(request, response);
  });
  server.on('clientError', (error, socket) => {
    log.debug('bad request', { error });
    if (socket.writable) socket.end(BAD_REQUEST);
    else socket.destroy();
  });
  return server;
}

/**
 * Hands an upgrade request that is no WebSocket handshake of ours back to the parser as an ordinary request: some
 * HTTP clients offer `Upgrade: h2c` on every request, and routes answer upgrades as plain HTTP.
 */
export function withoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (/^(?:upgrade|connection|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([text, head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}
