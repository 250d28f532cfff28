import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyTooBig, type Exchange, TooBusy } from '@svc/plugin-sdk/http';
import { mark, markFor } from '@svc/plugin-sdk/util';
import { type Link, linkOf } from './connection.ts';

const NO_PARAMS = {};
/** Memory of one chunk besides its bytes: a body may come in very small ones. */
const CHUNK_COST = 256;

/** One request and its response, as plugins see them. */
export class HttpExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Link;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  params: { readonly [name: string]: string } = NO_PARAMS;
  /** Path of the route that answers it, as it was registered. */
  route: string | undefined;
  readonly #limit: () => number;
  #abort: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, limit: () => number) {
    this.request = request;
    this.response = response;
    this.connection = linkOf(request.socket);
    this.connection.heard++;
    endWhenDestroyed(response);
    // Nothing is taken for another type than the one that it is sent as.
    response.setHeader('x-content-type-options', 'nosniff');
    this.#limit = limit;
    this.method = request.method ?? 'GET';
    const url = targetPath(request.url ?? '/');
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark);
  }

  get peerAddress(): string {
    return this.connection.addressOf(this.request);
  }

  get secure(): boolean {
    return this.connection.isSecure(this.request);
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = new AbortController();
      this.#abort = abort;
      this.response.once('close', () => {
        if (!this.response.writableFinished) abort.abort();
      });
    }
    return this.#abort.signal;
  }

  async body(limit: number = this.#limit()): Promise<Buffer> {
    if (Number(this.request.headers['content-length'] ?? 0) > limit)
      throw new BodyTooBig(limit, true);
    const chunks: Buffer[] = [];
    const receipt = this.connection.receive(this.peerAddress);
    let bytes = 0;
    try {
      if (!receipt.holds(CHUNK_COST)) throw new TooBusy();
      for await (const chunk of this.request) {
        bytes += chunk.length;
        if (bytes > limit) throw new BodyTooBig(limit, false);
        chunks.push(chunk);
        if (!receipt.holds(bytes + chunks.length * CHUNK_COST)) throw new TooBusy();
      }
    } finally {
      receipt.holds(0);
    }
    if (this.route === undefined) mark();
    else markFor(this.route);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  text(
    status: number,
    text: string | Uint8Array,
    headers: { readonly [name: string]: string } = {},
  ): void {
    const { response } = this;
    if (response.headersSent) return void response.destroy();
    const body = typeof text === 'string' ? Buffer.from(text) : text;
    // An unread body would be taken for the next request of the connection (RFC 9112 §6.3 says which request has one).
    const { complete, headers: asked } = this.request;
    const hasBody = asked['transfer-encoding'] !== undefined || Number(asked['content-length']) > 0;
    const close = complete || !hasBody ? {} : { connection: 'close' };
    response.writeHead(status, {
      'content-type': 'text/plain',
      'content-length': body.byteLength,
      ...close,
      ...headers,
    });
    response.end(body);
  }
}

/**
 * Ends the connection of a pipelined response that was destroyed before its turn. Node 24 and later give the connection
 * to such a response all the same, and everything behind it waits without end.
 */
function endWhenDestroyed(response: ServerResponse): void {
  if (response.socket) return;
  response.once('socket', (socket: Socket) => {
    if (response.destroyed) socket.destroy();
  });
}

/** Path and query of a request target, absolute form (RFC 9112 §3.2.2) included. */
function targetPath(target: string): string {
  if (target.startsWith('/')) return target;
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?]*(.*)/is.exec(target)?.[1] || '/';
}
