import { BodyTooBig, type Exchange, TooBusy } from '@svc/plugin-sdk/http';
import { bytesOf, piecesOf, type Texts } from '@svc/plugin-sdk/json';
import { beginsAsJson } from '../rpc/envelope.ts';
import { INTERNAL_ERROR, PARSE_ERROR, requestTooBig } from '../rpc/errors.ts';
import type { Wiring } from '../wiring.ts';

/** conventions.md §4, whole header value, any case. */
const TYPES = /^application\/json(?:-rpc)?(?:; ?charset=utf-8)?$/i;
const CORS = { 'access-control-allow-origin': '*' };
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...CORS };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': '*',
};
export const TOO_MANY = 'Too many connections. Please try again later.';
const NOT_POST = 'Used HTTP Method is not allowed. POST is required\n';
const NOT_JSON =
  'Supplied content type is not allowed. Content-Type: application/json is required\n';
/** Bytes that show whether a body begins as JSON. */
const BEGINNING = 128;

/** JSON-RPC over HTTP POST: the last stage of the request chain, so any path that no route claims ends here. */
export class HttpRpc {
  readonly #wiring: Wiring;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
  }

  async handle(exchange: Exchange): Promise<true> {
    const { slots } = this.#wiring;
    if (exchange.method === 'OPTIONS') exchange.response.writeHead(204, PREFLIGHT).end();
    else if (!slots.acquire(true)) exchange.text(429, TOO_MANY);
    else await this.#post(exchange).finally(() => slots.release());
    return true;
  }

  async #post(exchange: Exchange): Promise<void> {
    if (exchange.method !== 'POST') return exchange.text(405, NOT_POST);
    if (!TYPES.test(exchange.request.headers['content-type'] ?? ''))
      return exchange.text(415, NOT_JSON);
    const { unanswered } = this.#wiring;
    if (unanswered.full) await new Promise<void>((steer) => unanswered.whenRoom.add({ steer }));
    const body = await this.#body(exchange);
    if (!body) return;
    if (beginsAsJson(body.toString('latin1', 0, BEGINNING))) await this.#answer(exchange, body);
    else reply(exchange, 400, PARSE_ERROR);
  }

  async #answer(exchange: Exchange, body: Buffer): Promise<void> {
    const { calls, dispatcher, unanswered } = this.#wiring;
    unanswered.add(body.length);
    calls.begin();
    try {
      const { peerAddress: address, connection, signal } = exchange;
      const source = { transport: 'http', address, connection, signal } as const;
      const { text } = await dispatcher.receive(body, source);
      reply(exchange, 200, text ?? 'null');
    } finally {
      unanswered.done(body.length);
      calls.answered(exchange.response);
    }
  }

  async #body(exchange: Exchange): Promise<Buffer | undefined> {
    try {
      return await exchange.body();
    } catch (error) {
      if (error instanceof BodyTooBig && error.declared) {
        reply(exchange, 413, requestTooBig(error.limit));
      } else if (error instanceof TooBusy) {
        exchange.text(503, TOO_MANY, { 'retry-after': '1' });
      } else {
        this.#wiring.log.debug('request body could not be read', { error });
        reply(exchange, 500, INTERNAL_ERROR);
      }
      return undefined;
    }
  }
}

function reply(exchange: Exchange, status: number, text: Texts): void {
  const body = typeof text === 'string' ? text : Buffer.concat(piecesOf(text).map(bytesOf));
  if (!exchange.response.destroyed) exchange.text(status, body, JSON_HEADERS);
}
