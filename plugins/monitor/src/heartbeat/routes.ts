import type { Clock, Logger } from '@svc/plugin-sdk';
import { type Exchange, type Routes, TooBusy } from '@svc/plugin-sdk/http';
import type { AttemptThrottle } from '@svc/plugin-token/api';
import { MOST_BODY, startOfBody } from './body.ts';
import type { Arrived, Pings } from './heartbeats.ts';
import { hashOf, keyOf } from './key.ts';
import type { Keys } from './keys.ts';
import { Pace } from './pace.ts';
import { readPing, readPush, type Said } from './requests.ts';

const METHODS = 'GET, HEAD, POST';
const MOST_AGENT = 200;
/** Says to a browser that a page of any origin may call. */
const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
  'access-control-max-age': '600',
};

export interface PingRouteParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly keys: Pick<Keys, 'isRight' | 'forget'>;
  readonly pings: Pick<Pings, 'take'>;
  readonly throttle: Pick<AttemptThrottle, 'isClosed' | 'failed'>;
}

/** Form of a route: how its requests are read, and how it answers. */
interface Form {
  readonly read: (exchange: Exchange) => Said | string;
  readonly answer: (exchange: Exchange, status: number, why: string) => void;
}

/**
 * Adds `/svc/ping/KEY`, by the conventions of Healthchecks.io, and `/svc/push/KEY`, by those of Uptime Kuma. No login: who
 * has the key may call. The key is in no log.
 */
export function addPingRoutes(routes: Routes, parts: PingRouteParts): void {
  const desk = new Desk(parts);
  const ping: Form = { read: readPing, answer: answerText };
  const push: Form = { read: readPush, answer: answerJson };
  const forms = { '/svc/ping/:key': ping, '/svc/ping/:key/*action': ping, '/svc/push/:key': push };
  for (const [path, form] of Object.entries(forms))
    routes.add({ path, handle: (exchange) => desk.handle(exchange, form) });
}

class Desk {
  readonly #parts: PingRouteParts;
  readonly #pace: Pace;

  constructor(parts: PingRouteParts) {
    this.#parts = parts;
    this.#pace = new Pace(parts.clock);
  }

  async handle(exchange: Exchange, form: Form): Promise<void> {
    try {
      await this.#answer(exchange, form);
    } catch (error) {
      // The client has gone, and may come again.
      if (exchange.request.socket.destroyed) return;
      if (error instanceof TooBusy) return form.answer(exchange, 503, 'too busy');
      this.#parts.log.error('a ping could not be taken', { error });
      form.answer(exchange, 500, 'the server failed');
    }
  }

  async #answer(exchange: Exchange, form: Form): Promise<void> {
    const { method } = exchange;
    if (method === 'OPTIONS') return exchange.text(200, '', { ...headersOf(200), ...PREFLIGHT });
    if (!/^(?:GET|HEAD|POST)$/.test(method)) return form.answer(exchange, 405, `use ${METHODS}`);
    const key = keyOf(exchange.params['key'] ?? '');
    if (key === undefined) return this.#refuse(exchange, form, 400);
    const said = form.read(exchange);
    if (typeof said === 'string') return form.answer(exchange, 400, said);
    const hash = hashOf(key);
    if (!(await this.#mayCall(exchange, form, hash))) return;
    const body = said.body ?? (await startOfBody(exchange, this.#parts.clock));
    const { peerAddress: address, request } = exchange;
    const agent = (request.headers['user-agent'] ?? '').slice(0, MOST_AGENT);
    const ping: Arrived = { ...said, method, address, agent, body };
    if (await this.#parts.pings.take(hash, ping)) return form.answer(exchange, 200, 'OK');
    this.#parts.keys.forget(hash);
    this.#refuse(exchange, form, 404);
  }

  /** Charges a call to its address, and to its key where that is right. @returns false: it is answered */
  async #mayCall(exchange: Exchange, form: Form, hash: string): Promise<boolean> {
    const { keys, throttle } = this.#parts;
    const isRight = await keys.isRight(hash, throttle.isClosed(exchange.peerAddress));
    if (isRight === 'busy') throw new TooBusy();
    if (isRight === 'closed') form.answer(exchange, 429, 'too many wrong keys from this address');
    else if (!isRight) this.#refuse(exchange, form, 404);
    if (isRight !== true) return false;
    if (this.#pace.mayCall(hash)) return true;
    form.answer(exchange, 429, 'too many calls of this key');
    return false;
  }

  #refuse(exchange: Exchange, form: Form, status: 400 | 404): void {
    this.#parts.throttle.failed(exchange.peerAddress);
    form.answer(exchange, status, status === 400 ? 'invalid key' : 'not found');
  }
}

const headersOf = (status: number): Record<string, string> => ({
  'ping-body-limit': String(MOST_BODY),
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  ...(status === 405 ? { allow: `${METHODS}, OPTIONS` } : {}),
  ...(status === 429 || status === 503 ? { 'retry-after': '1' } : {}),
});

const answerText: Form['answer'] = (exchange, status, why) =>
  exchange.text(status, why, {
    'content-type': 'text/plain; charset=utf-8',
    ...headersOf(status),
  });

const answerJson: Form['answer'] = (exchange, status, why) => {
  const answer = status === 200 ? { ok: true } : { ok: false, msg: why };
  exchange.text(status, JSON.stringify(answer), {
    'content-type': 'application/json; charset=utf-8',
    ...headersOf(status),
  });
};
