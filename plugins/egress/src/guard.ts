import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type ShareRules, Turns } from '@svc/fair-turns';
import { codeOf } from '@svc/plugin-sdk/util';
import type {
  EgressClient,
  EgressConnection,
  EgressRequest,
  EgressResponse,
  EgressRules,
  EgressTarget,
} from './api.ts';
import { connectGuarded } from './connect.ts';
import { decoded } from './content.ts';
import {
  allowedAddresses,
  guardedLookup,
  type LookupOrder,
  literalAddress,
  type Resolve,
} from './lookup.ts';
import { resolverOf, withPort } from './names.ts';
import { type Policy, policyOf } from './policy.ts';
import { isBlockedPort, portOf } from './ports.ts';

const MOST_REDIRECTS = 20;
/** Time that idle connections stay open, ms. */
const KEEP_MS = 15_000;
/** Most concurrent requests, each until its body has ended. */
const MOST_REQUESTS = 512;
/** Further requests, one for each share that has none. */
const SPARE_REQUESTS = 64;
/** Most idle connections of each scheme. */
const MOST_KEPT = 256;

export interface EgressOptions {
  readonly userAgent: string;
  /** Replacement of the machine's name resolution. */
  readonly resolve?: Resolve;
  /** Name servers of the configuration; none: those of the machine. */
  readonly servers?: () => readonly string[];
  readonly standing?: ShareRules['standing'];
}

/** Outgoing requests with limits; addresses are checked at the connection, so that no DNS answer bypasses the policy. */
export class EgressGuard implements EgressClient {
  readonly #options: EgressOptions;
  #rules: EgressRules;
  #policy: Policy;
  readonly #turns: Turns;
  /** Agents, created by the first request: TLS is loaded with them. */
  #agents: ReturnType<typeof makeAgents> | undefined;

  /** @throws UserError that names an entry of `allow` which is none */
  constructor(rules: EgressRules, options: EgressOptions) {
    this.#options = options;
    const { standing } = options;
    this.#turns = new Turns({ most: () => MOST_REQUESTS, spare: () => SPARE_REQUESTS, standing });
    this.#rules = rules;
    this.#policy = policyOf(rules.allow, rules.key);
  }

  change(rules: EgressRules): void {
    this.#policy = policyOf(rules.allow, rules.key);
    this.#rules = rules;
    this.close();
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of Object.values(this.#agents ?? {})) agent.destroy();
    this.#agents = undefined;
  }

  async request(order: EgressRequest): Promise<EgressResponse> {
    try {
      if (/^data:/i.test(order.url)) return await dataResponse(order.url);
      return await this.#inTurn(order);
    } catch (error) {
      throw failedFetch(error);
    }
  }

  async connect(connection: EgressConnection): Promise<Socket> {
    return connectGuarded(connection, {
      policy: this.#policy,
      connect_ms: this.#rules.connect_ms,
      refused: (target) => this.#refused(target),
      resolve: this.#options.resolve,
    });
  }

  async addresses(target: Parameters<EgressClient['addresses']>[0]): Promise<LookupAddress[]> {
    const { host, family } = target;
    return allowedAddresses({ host, family }, this.#lookupOrder(target));
  }

  async resolver(server?: EgressTarget): Promise<Resolver> {
    if (!server) return resolverOf(this.#options.servers?.() ?? []);
    return resolverOf(withPort(await this.addresses(server), server.port));
  }

  /** Order of a look-up that gives only what may be reached. */
  #lookupOrder({ host, port }: EgressTarget): LookupOrder {
    return {
      isAllowed: (address) => this.#policy.allows({ host, port, address }),
      refused: (target) => this.#refused(target),
      resolve: this.#options.resolve,
    };
  }

  /** Sends a request in its turn. It holds its place for as long as its connection. */
  async #inTurn(order: EgressRequest): Promise<EgressResponse> {
    const leave = await this.#turns.acquire(order.share ?? '', { signal: order.signal });
    const { limit_ms, signal } = order;
    const limited =
      limit_ms === undefined
        ? order
        : { ...order, signal: AbortSignal.any([signal, AbortSignal.timeout(limit_ms)]) };
    try {
      return await this.#follow(limited, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Follows redirects; `leave` is called when the whole answer has arrived. */
  async #follow(order: EgressRequest, leave: () => void): Promise<EgressResponse> {
    let step = order;
    for (let count = 0; count <= MOST_REDIRECTS; count++) {
      const answer = await this.#send(step);
      const { location } = answer.headers;
      const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) && location;
      if (!isRedirect || order.redirect === 'manual') {
        answer.once('close', leave);
        return this.#response(answer, step, count > 0);
      }
      answer.destroy();
      if (order.redirect === 'error') throw new Error('a redirect was not expected');
      step = redirected(step, answer.statusCode ?? 0, location);
    }
    throw new Error('Max retries exceeded');
  }

  /** Sends a request, and once more over a connection of its own where the reused one was closed before any answer. */
  async #send(order: EgressRequest): Promise<IncomingMessage> {
    try {
      return await this.#sendOnce(order, true);
    } catch (error) {
      if (!(error instanceof LostKept)) throw error;
      return this.#sendOnce(order, false);
    }
  }

  #sendOnce(order: EgressRequest, mayReuse: boolean): Promise<IncomingMessage> {
    const { url: text, method, headers, body, signal } = order;
    const url = new URL(text);
    const secure = url.protocol === 'https:';
    if (!secure && url.protocol !== 'http:') throw new Error('URL scheme must be http or https');
    const port = portOf(url);
    if (isBlockedPort(port)) throw new Error('Invalid port in URL');
    const address = literalAddress(url.hostname);
    if (address && !this.#policy.allows({ host: address, port, address }))
      throw this.#refused(address);
    this.#agents ??= makeAgents();
    const agents = this.#agents;
    const options = {
      method,
      signal,
      headers: headersOf(headers, body, this.#options.userAgent),
      agent: mayReuse && (secure ? agents.secure : agents.plain),
      lookup: guardedLookup(this.#lookupOrder({ host: url.hostname, port })),
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? secureRequest : plainRequest)(url, options, resolve);
      request.on('error', (error) => reject(isLostKept(request, error) ? new LostKept() : error));
      // A switch of protocols closes the connection without an answer or an error.
      request.on('close', () => reject(new Error('the connection was closed')));
      const { connect_ms, idle_ms } = this.#rules;
      request.setTimeout(idle_ms, () => request.destroy(new Error('no answer in time')));
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        const late = setTimeout(
          () => request.destroy(new Error('connection takes too long')),
          connect_ms,
        );
        socket.once('connect', () => clearTimeout(late));
        socket.once('close', () => clearTimeout(late));
      });
      request.end(body);
    });
  }

  #refused(target: string): Error {
    const hint = this.#rules.key === undefined ? '' : `, see ${this.#rules.key}`;
    const text = `${target} is a private address${hint}`;
    return Object.assign(new Error(text), { code: 'ERR_PRIVATE_ADDRESS' });
  }

  #response(answer: IncomingMessage, { url }: EgressRequest, was: boolean): EgressResponse {
    const headers: [string, string][] = [];
    const raw = answer.rawHeaders;
    for (let at = 0; at < raw.length; at += 2)
      headers.push([String(raw[at]).toLowerCase(), String(raw[at + 1])]);
    const body = decoded(answer, this.#rules.max_bytes);
    return { status: answer.statusCode ?? 0, url, redirected: was, headers, body };
  }
}

/** Error of a reused connection that the other side closed, which may happen during a request. */
class LostKept extends Error {}

/** Methods that may be sent twice (RFC 9110 §9.2.2). Others may have been carried out already. */
const IDEMPOTENT = /^(?:GET|HEAD|OPTIONS|TRACE|PUT|DELETE)$/;

const isLostKept = ({ method, reusedSocket }: ClientRequest, error: Error): boolean =>
  reusedSocket && IDEMPOTENT.test(method) && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

const makeAgents = () => {
  const options = { keepAlive: true, timeout: KEEP_MS };
  const agents = { plain: new Agent(options), secure: new SecureAgent(options) };
  for (const agent of Object.values(agents)) {
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => countKept(agent) < MOST_KEPT && keep(socket);
  }
  return agents;
};

const countKept = ({ freeSockets }: Agent): number =>
  Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);

/** Headers that the connection determines. */
const OWN =
  /^(?:connection|keep-alive|proxy-connection|transfer-encoding|content-length|te|trailer|upgrade|expect)$/i;

function headersOf(
  list: EgressRequest['headers'],
  body: Uint8Array | undefined,
  userAgent: string,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  const defaults: [string, string][] = [
    ['user-agent', userAgent],
    ['accept', '*/*'],
    ['accept-language', '*'],
    ['accept-encoding', 'br, gzip, deflate'],
  ];
  for (const [name, value] of list) {
    if (OWN.test(name)) continue;
    const key = name.toLowerCase();
    const before = headers[key];
    headers[key] = before === undefined ? value : [before, value].flat();
  }
  for (const [name, value] of defaults) headers[name] ??= value;
  if (body !== undefined) headers['content-length'] = String(body.length);
  return headers;
}

function redirected(step: EgressRequest, status: number, location: string): EgressRequest {
  const from = new URL(step.url);
  // Node reads header bytes as latin1; servers write UTF-8.
  const to = new URL(Buffer.from(location, 'latin1').toString('utf8'), from);
  if (to.hash === '') to.hash = from.hash;
  const becomesGet =
    (status === 303 && step.method !== 'GET' && step.method !== 'HEAD') ||
    ((status === 301 || status === 302) && step.method === 'POST');
  const sameOrigin = to.origin === from.origin;
  const headers = step.headers.filter(
    ([name]) =>
      !(becomesGet && /^content-/i.test(name)) &&
      !(!sameOrigin && /^(?:authorization|cookie|host|proxy-authorization)$/i.test(name)),
  );
  const next = { ...step, url: to.href, headers };
  return becomesGet ? { ...next, method: 'GET', body: undefined } : next;
}

async function dataResponse(url: string): Promise<EgressResponse> {
  const answer = await fetch(url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const headers = [...answer.headers];
  return { status: 200, url, redirected: false, headers, body: Readable.from([bytes]) };
}

/** Error for the caller: the reason in the message, and alone as `cause`. */
function failedFetch(error: unknown): TypeError {
  const { message, code } = error as { message?: string; code?: string };
  const cause = message || code || String(error);
  return new TypeError(`Failed to fetch: ${cause}`, { cause });
}
