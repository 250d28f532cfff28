import { post } from './http.ts';
import { stringifyJson } from './json.ts';
import { type Limits, limited } from './limited.ts';
import { type Feed, Link, type Socket } from './link.ts';
import type { ClientOptions } from './options.ts';
import { type Range, rowsOf } from './rows.ts';
import { Stream } from './subscription.ts';
import type { CallOptions, SubscribeOptions } from './types.ts';
import { errorOf, type Message, resultOf } from './wire.ts';

/** Parameters by another name than `token` that hold the caller's credential. */
const CREDENTIALS: Readonly<Record<string, string>> = { token_create: 'father_token' };
/** Time that a call gets beyond what it gives the server, ms. */
const ANSWER_MS = 5_000;
const HEARTBEAT_MS = 30_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const QUEUE = 1_000;

type Params = Readonly<Record<string, unknown>>;

/** A client without the types of its methods. */
export class Caller {
  readonly #options: ClientOptions;
  readonly #http: string;
  readonly #link: Link;
  #lastId = 0;

  constructor(url: string | URL, options: ClientOptions) {
    this.#options = options;
    this.#http = addressOf(url, 'http');
    this.#link = new Link(linkOptions(addressOf(url, 'ws'), options));
  }

  async call(method: string, params: Params = {}, options: CallOptions = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = await this.#exchange(id, method, options, params, () =>
      this.#text(id, method, params),
    );
    return resultOf(answer as Message);
  }

  async batch(
    entries: readonly (readonly [method: string, params?: Params])[],
    options: CallOptions = {},
  ): Promise<unknown[]> {
    if (entries.length === 0) return [];
    const first = this.#lastId + 1;
    this.#lastId += entries.length;
    const answers = await this.#exchange(first, 'batch', options, {}, async () => {
      const calls = entries.map(([method, params], at) => this.#text(first + at, method, params));
      return `[${await Promise.all(calls)}]`;
    });
    // A single answer: the server refuses the batch as a whole.
    if (!Array.isArray(answers)) throw errorOf(answers);
    return entries.map((_entry, at) => {
      const answer = answers.find(({ id }) => id === first + at) ?? {};
      const reason = errorOf(answer);
      if (reason) return { status: 'rejected', reason };
      return { status: 'fulfilled', value: answer.result };
    });
  }

  subscribe(method: string, params: Params = {}, options: SubscribeOptions = {}): Stream {
    const { signal, queue = QUEUE, unsubscribe = endOf(method) } = options;
    const stop = () => stream.fail(signal?.reason);
    const stream = new Stream(queue, () => {
      signal?.removeEventListener('abort', stop);
      this.#link.remove(feed);
    });
    const feed: Feed = {
      stream,
      unsubscribe,
      isAsked: false,
      subscribe: async () => {
        const id = ++this.#lastId;
        const text = await this.#text(id, method, params);
        resultOf((await this.#link.request(id, text, undefined, feed)) as Message);
      },
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    else this.#link.add(feed);
    return stream;
  }

  rows(method: string, params: Params, range: Range = {}): AsyncGenerator<unknown, void> {
    const options = range.signal ? { signal: range.signal } : {};
    return rowsOf(
      method,
      params,
      range,
      async (asked) => (await this.call(method, asked, options)) as Params[],
    );
  }

  close(): void {
    this.#link.close();
  }

  /** Sends a message over the transport of its method. @throws DOMException `TimeoutError` */
  #exchange(
    id: number,
    method: string,
    { signal, timeout_ms, transport }: CallOptions,
    params: Params,
    compose: () => Promise<string>,
  ): Promise<Message | Message[]> {
    const limits = { signal, timeout_ms: timeout_ms ?? this.#deadline(params) };
    const isHttp = (transport ?? this.#transport(method)) === 'http';
    const late = () =>
      isHttp || this.#link.isSent(id)
        ? `${method}: no answer within ${limits.timeout_ms} ms`
        : `${method}: no connection within ${limits.timeout_ms} ms`;
    return limited(limits, late, async (end) => {
      const text = await compose();
      end.throwIfAborted();
      if (isHttp) return post(this.#http, text, end, this.#options.fetch ?? fetch);
      return this.#link.request(id, text, end);
    });
  }

  #transport(method: string): 'ws' | 'http' {
    const { transport = 'ws' } = this.#options;
    return typeof transport === 'function' ? transport(method) : transport;
  }

  #deadline({ timeout_ms: server_ms }: Params): Limits['timeout_ms'] {
    const { timeout_ms = 30_000 } = this.#options;
    const isLonger = timeout_ms > 0 && typeof server_ms === 'number';
    return isLonger ? Math.max(timeout_ms, server_ms + ANSWER_MS) : timeout_ms;
  }

  /** Returns the text of a call. The credential stands first: the server reads a long message on only after it. */
  async #text(id: number, method: string, params: Params = {}): Promise<string> {
    const { token: own } = this.#options;
    const token = typeof own === 'function' ? await own() : own;
    const name = CREDENTIALS[method] ?? 'token';
    const all = token === undefined ? params : { [name]: token, ...params };
    return stringifyJson({ jsonrpc: '2.0', id, method, params: all });
  }
}

function linkOptions(url: string, options: ClientOptions) {
  const { reconnect = {}, heartbeat_ms = HEARTBEAT_MS, onState, openSocket, wait } = options;
  return {
    url,
    heartbeat_ms,
    onState,
    open: (openSocket ?? ((address) => new WebSocket(address))) as (url: string) => Socket,
    // Clients that lost the same server do not come back at the same time.
    pause_ms: (ms: number) => ms * (1 - Math.random() / 2),
    wait: wait ?? ((ms: number) => new Promise<void>((resume) => void setTimeout(resume, ms))),
    reconnect: reconnect && {
      min_ms: MIN_PAUSE_MS,
      max_ms: MAX_PAUSE_MS,
      ...reconnect,
    },
  };
}

/** @throws TypeError for an address with a user or a query: they would stand in the logs of every proxy */
function addressOf(url: string | URL, scheme: 'http' | 'ws'): string {
  const { location } = globalThis as { location?: { href: string } };
  const address = new URL(url, location?.href);
  if (address.username || address.search)
    throw new TypeError('the credential belongs into options.token, not into the URL');
  address.protocol = address.protocol.replace(/^(?:http|ws)/, scheme);
  address.hash = '';
  return address.href;
}

/** `x_register_y` → `x_unregister_y`, `x_subscribe` → `x_unsubscribe`, else `x_y` → `x_unsubscribe_y`. */
const endOf = (method: string): string =>
  method.replace(/_(register_|subscribe$)?/, (_all, verb) =>
    verb ? `_un${verb}` : '_unsubscribe_',
  );
