import { BodyTooBig, type Exchange, type Logger } from '@svc/plugin-sdk';
import type { Outcome } from '../api.ts';
import type { Settings } from '../config.ts';
import type { RouteCache } from '../registry.ts';
import { QUEUE_FULL, WAITED_TOO_LONG } from '../run/pooled.ts';
import type { Runner } from '../run/runner.ts';
import type { Worker } from '../store/workers.ts';
import { requestHeaders, requestUrl } from './request.ts';
import { sendResponse } from './response.ts';

/** Largest request body, bytes (worker-route.md §3.1). */
const MOST_BODY = 8_388_608;
const TEXT = 'text/plain; charset=utf-8';

export interface RouteOptions {
  readonly routes: RouteCache;
  readonly runner: Pick<Runner, 'route'>;
  readonly log: Logger;
  readonly peerHeader: string;
  readonly settings: Pick<Settings, 'route_errors' | 'route_headers' | 'route_wait_ms'>;
}

/** Answers requests to `/svc/worker-route/…` and `/worker-route/…` (worker-route.md). */
export class RouteHandler {
  readonly #options: RouteOptions;

  constructor(options: RouteOptions) {
    this.#options = options;
  }

  async answer(exchange: Exchange): Promise<void> {
    const name = (exchange.params['name'] ?? '').trim();
    if (name === '') return refuse(exchange, 400, 'route_name cannot be empty');
    const body = await readBody(exchange);
    if (typeof body === 'string') {
      const status = body === TOO_BIG ? 413 : 400;
      return refuse(exchange, status, `Failed to read request body: ${body}`);
    }
    let worker: Worker | undefined;
    try {
      worker = await this.#options.routes.find(name);
    } catch (error) {
      this.#options.log.error('route could not be looked up', { route: name, error });
      return refuse(exchange, 500, 'Database query failed: see the log');
    }
    if (!worker) return refuse(exchange, 404, 'No js_worker bound to this route_name');
    await this.#run(exchange, worker, body);
  }

  async #run(exchange: Exchange, worker: Worker, body: Buffer | undefined): Promise<void> {
    const { method, response } = exchange;
    const { runner, settings } = this.#options;
    const url = requestUrl(exchange);
    if (url === undefined) return refuse(exchange, 400, 'Invalid Host header');
    const isBodiless = body === undefined || /^(?:GET|HEAD)$/i.test(method);
    const request = {
      url,
      method,
      headers: requestHeaders(exchange, this.#options.peerHeader),
      body: isBodiless ? null : 0,
    };
    const bytes = isBodiless ? undefined : new Uint8Array(body);
    const outcome = await runner.route(worker, JSON.stringify(request), {
      body: bytes,
      wait_ms: settings.route_wait_ms,
    });
    if (response.destroyed || response.headersSent) return;
    if (outcome.kind === 'response' && outcome.status >= 200 && outcome.status <= 599) {
      return sendResponse(response, outcome, { method, more: settings.route_headers });
    }
    this.#fail(exchange, worker, outcome);
  }

  /** Callers without a name learn that it failed; why goes to the log. */
  #fail(exchange: Exchange, worker: Worker, outcome: Outcome): void {
    const { log, settings } = this.#options;
    const detail = outcome.kind === 'failure' ? outcome.detail : 'an error response';
    log.warn('route worker failed', { worker: worker.name, detail });
    const full = detail === QUEUE_FULL || detail === WAITED_TOO_LONG;
    const late = outcome.kind === 'failure' && outcome.late;
    const status = full ? 503 : late ? 504 : 500;
    const told = settings.route_errors || full ? detail : late ? 'time limit' : 'see the log';
    const headers = full ? { 'retry-after': '1' } : {};
    refuse(exchange, status, `Route worker execution failed: ${told}`, headers);
  }
}

const TOO_BIG = 'length limit exceeded';

/** The body, none when it is empty, or why it could not be read. */
async function readBody(exchange: Exchange): Promise<Buffer | undefined | string> {
  const { headers } = exchange.request;
  // RFC 9112 §6.3: without these two a request has no body.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return undefined;
  try {
    const body = await exchange.body(MOST_BODY);
    return body.length === 0 ? undefined : body;
  } catch (error) {
    return error instanceof BodyTooBig ? TOO_BIG : 'broken transfer';
  }
}

export function refuse(
  exchange: Exchange,
  status: number,
  text: string,
  headers: { readonly [name: string]: string } = {},
): void {
  exchange.text(status, text, {
    'content-type': TEXT,
    'access-control-allow-origin': '*',
    ...headers,
  });
}
