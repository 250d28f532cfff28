import { type Outcome, QUEUE_FULL, WAITED_TOO_LONG } from '@svc/plugin-script-quickjs/api';
import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { trim } from '@svc/plugin-sdk/util';
import type { UserContent } from '@svc/plugin-user-content/api';
import type { Settings } from '../config.ts';
import type { WorkerOwners } from '../owners.ts';
import type { RouteCache } from '../registry.ts';
import type { Runner } from '../run/runner.ts';
import type { Worker } from '../store/workers.ts';
import { type HeldBody, RequestBodies } from './body.ts';
import { requestHeaders, requestUrl } from './request.ts';
import { sendResponse } from './response.ts';

/** Rest of a refused body that is still read, so that the client gets to see the answer, ms. */
const LINGER_MS = 10_000;
const RETRY = { 'retry-after': '1' };
const TEXT = 'text/plain; charset=utf-8';

export interface RouteOptions {
  readonly routes: RouteCache;
  readonly runner: Pick<Runner, 'route'>;
  readonly owners: WorkerOwners;
  readonly content: UserContent;
  readonly clock: Clock;
  readonly log: Logger;
  readonly peerHeader: string;
  readonly settings: Pick<Settings, 'route_errors' | 'route_headers' | 'route_wait_ms'>;
}

/** Answers requests to `/svc/worker-route/…` and `/worker-route/…` (worker-route.md). */
export class RouteHandler {
  readonly #options: RouteOptions;
  readonly #bodies: RequestBodies;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#bodies = new RequestBodies(options.clock);
  }

  async answer(exchange: Exchange): Promise<void> {
    const name = trim(exchange.params['name'] ?? '');
    if (name === '') return this.refuse(exchange, 400, 'route_name cannot be empty');
    const worker = await this.#find(exchange, name);
    if (!worker) return;
    const body = await this.#bodies.read(exchange);
    if ('status' in body) {
      const { status, reason } = body;
      const headers = status === 503 ? RETRY : {};
      return this.refuse(exchange, status, `Failed to read request body: ${reason}`, headers);
    }
    try {
      await this.#run(exchange, worker, body);
    } finally {
      body.release();
    }
  }

  /** Answers with a text that any client may read. */
  refuse(
    exchange: Exchange,
    status: number,
    text: string,
    headers: { readonly [name: string]: string } = {},
  ): void {
    const { request, response } = exchange;
    // A client that waits for status 100 does not send its body: its next request must not be taken for one.
    const isWaiting = request.headers.expect !== undefined && !request.readableDidRead;
    const lingers = !request.complete && !request.destroyed && !isWaiting;
    exchange.text(status, text, {
      'content-type': TEXT,
      'access-control-allow-origin': '*',
      ...(lingers && { connection: 'keep-alive' }),
      ...headers,
    });
    if (!lingers) return;
    request.on('error', () => response.destroy());
    request.resume();
    request.once(
      'close',
      this.#options.clock.timeout(() => request.destroy(), LINGER_MS),
    );
  }

  /** Finds the worker before a byte of the body is read. Answers when there is none. */
  async #find(exchange: Exchange, name: string): Promise<Worker | undefined> {
    const { content, log, owners, routes } = this.#options;
    try {
      const worker = await routes.find(name);
      if (worker && !(await owners.isSuspended(worker)))
        return content.admit(exchange, { trusted: owners.isTrusted(worker) }) ? worker : undefined;
      this.refuse(exchange, 404, 'No js_worker bound to this route_name');
    } catch (error) {
      log.error('route could not be looked up', { route: name, error });
      this.refuse(exchange, 500, 'Database query failed: see the log');
    }
    return undefined;
  }

  async #run(exchange: Exchange, worker: Worker, body: HeldBody): Promise<void> {
    const { method, response } = exchange;
    const { peerHeader, runner, settings } = this.#options;
    const url = requestUrl(exchange);
    if (url === undefined) return this.refuse(exchange, 400, 'Invalid Host header');
    const bytes = /^(?:GET|HEAD)$/i.test(method) ? undefined : body.bytes;
    const headers = requestHeaders(exchange, peerHeader);
    const request = { url, method, headers, body: bytes ? 0 : null };
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

  /** Anonymous callers learn that it failed; the reason goes to the log. */
  #fail(exchange: Exchange, worker: Worker, outcome: Outcome): void {
    const { log, settings } = this.#options;
    const detail = outcome.kind === 'failure' ? outcome.detail : 'an error response';
    log.warn('route worker failed', { worker: worker.name, detail });
    const full = detail === QUEUE_FULL || detail === WAITED_TOO_LONG;
    const late = outcome.kind === 'failure' && outcome.late;
    const status = full ? 503 : late ? 504 : 500;
    const shown = settings.route_errors || full ? detail : late ? 'time limit' : 'see the log';
    this.refuse(exchange, status, `Route worker execution failed: ${shown}`, full ? RETRY : {});
  }
}
