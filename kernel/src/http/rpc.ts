import { BodyTooBig, type Exchange, type Logger } from '@svc/plugin-sdk';
import type { Load, Slots } from '../load.ts';
import type { Dispatcher } from '../rpc/dispatch.ts';
import { INTERNAL_ERROR, PARSE_ERROR, requestTooBig } from '../rpc/errors.ts';
import type { Text } from '../rpc/text.ts';
import type { RunningCalls } from './running-calls.ts';

/** conventions.md §4, whole header value, any case. */
const TYPES = /^application\/json(?:-rpc)?(?:; ?charset=utf-8)?$/i;
const JSON_TYPE = 'application/json; charset=utf-8';
const CORS = { 'access-control-allow-origin': '*' };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': '*',
};
export const TOO_MANY = 'Too many connections. Please try again later.';
const LEADING_SPACE = 127;

/** JSON-RPC over HTTP POST: the last stage of the request chain, so any path that nobody claims ends here. */
export class HttpRpc {
  readonly #dispatcher: Dispatcher;
  readonly #slots: Slots;
  readonly #load: Load;
  readonly #calls: RunningCalls;
  readonly #log: Logger;

  constructor(options: {
    dispatcher: Dispatcher;
    slots: Slots;
    load: Load;
    calls: RunningCalls;
    log: Logger;
  }) {
    this.#dispatcher = options.dispatcher;
    this.#slots = options.slots;
    this.#load = options.load;
    this.#calls = options.calls;
    this.#log = options.log;
  }

  async handle(exchange: Exchange): Promise<true> {
    const { response } = exchange;
    if (exchange.method === 'OPTIONS') {
      response.writeHead(204, PREFLIGHT).end();
      return true;
    }
    if (!this.#slots.take(true)) {
      exchange.text(429, TOO_MANY);
      return true;
    }
    try {
      await this.#post(exchange);
    } finally {
      this.#slots.free();
    }
    return true;
  }

  async #post(exchange: Exchange): Promise<void> {
    if (exchange.method !== 'POST') {
      exchange.text(405, 'Used HTTP Method is not allowed. POST is required\n');
      return;
    }
    if (!TYPES.test(exchange.request.headers['content-type'] ?? '')) {
      exchange.text(
        415,
        'Supplied content type is not allowed. Content-Type: application/json is required\n',
      );
      return;
    }
    if (this.#load.full) await new Promise<void>((resolve) => this.#load.whenRoom(resolve));
    const body = await this.#body(exchange);
    if (!body) return;
    if (!looksLikeJson(body)) {
      reply(exchange, 400, PARSE_ERROR);
      return;
    }
    this.#load.add(body.length);
    this.#calls.begin();
    try {
      const { text } = await this.#dispatcher.answer(textOf(body), {
        transport: 'http',
        address: exchange.peerAddress,
        signal: exchange.signal,
      });
      reply(exchange, 200, text ?? 'null');
    } finally {
      this.#load.done(body.length);
      this.#calls.answered(exchange.response);
    }
  }

  async #body(exchange: Exchange): Promise<Buffer | undefined> {
    try {
      return await exchange.body();
    } catch (error) {
      if (error instanceof BodyTooBig && error.declared) {
        reply(exchange, 413, requestTooBig(error.limit));
        return undefined;
      }
      this.#log.debug('request body could not be read', { error });
      reply(exchange, 500, INTERNAL_ERROR);
      return undefined;
    }
  }
}

/** Text of a message; bytes that are not UTF-8 become text that does not parse. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\uFFFD') && !isUtf8(bytes) ? '' : text;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function isUtf8(bytes: Buffer): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    // The only failure of a fatal decoder is bad input.
    return false;
  }
}

function looksLikeJson(body: Buffer): boolean {
  let at = 0;
  while (
    at <= LEADING_SPACE &&
    (body[at] === 32 || body[at] === 9 || body[at] === 10 || body[at] === 13)
  )
    at++;
  return at <= LEADING_SPACE && (body[at] === 0x7b || body[at] === 0x5b);
}

function reply({ request, response }: Exchange, status: number, text: Text): void {
  if (response.destroyed) return;
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': body.byteLength,
    ...CORS,
    ...close,
  });
  response.end(body);
}
