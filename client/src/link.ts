import { ConnectionError, RpcError } from './errors.ts';
import { parseJson, stringifyJson } from './json.ts';
import type { Stream } from './subscription.ts';
import type { Message } from './wire.ts';

export type State = 'connecting' | 'open' | 'closed';

/** `WebSocket.OPEN`. */
const OPEN = 1;

/** Part of a WebSocket that the client uses. */
export interface Socket {
  readonly readyState: number;
  onopen: (() => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LinkOptions {
  readonly url: string;
  readonly open: (url: string) => Socket;
  /** Varies a pause, so that clients do not reconnect together. */
  readonly pause_ms: (ms: number) => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly reconnect: { readonly min_ms: number; readonly max_ms: number } | false;
  readonly heartbeat_ms: number;
  readonly onState: ((state: State) => void) | undefined;
}

/** One subscription over its connections. */
export interface Feed {
  readonly stream: Stream;
  /** Asks the server for the stream. @returns once the server has accepted. @throws RpcError when it refuses */
  readonly subscribe: () => Promise<unknown>;
  /** Method that ends the subscription. */
  readonly unsubscribe: string;
  /** Tells whether the server was asked for it on this connection. */
  isAsked: boolean;
}

interface Request {
  readonly text: string;
  readonly feed: Feed | undefined;
  readonly answer: (message: Message | Message[]) => void;
  readonly fail: (error: Error) => void;
  isSent: boolean;
}

/** One WebSocket at a time. It opens when something is to be sent, and again while something waits or a subscription lives. */
export class Link {
  readonly #options: LinkOptions;
  readonly #requests = new Map<unknown, Request>();
  readonly #feeds = new Set<Feed>();
  /** Subscriptions of this connection, by the id that their items carry. */
  readonly #accepted = new Map<unknown, Feed>();
  #socket: Socket | undefined;
  #isOpen = false;
  #isPausing = false;
  #isClosed = false;
  #isSilent = false;
  /** Connections in a row that brought no message. */
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Sends as soon as there is a connection. `id`: that of the call, or of the first one of a batch. */
  request(id: unknown, text: string, signal?: AbortSignal, feed?: Feed) {
    return new Promise<Message | Message[]>((answer, fail) => {
      if (this.#isClosed) throw new ConnectionError('the client is closed', false);
      signal?.addEventListener('abort', () => this.#requests.delete(id));
      this.#requests.set(id, { text, feed, answer, fail, isSent: false });
      this.#connect();
      if (this.#isOpen) this.#flush();
    });
  }

  isSent(id: unknown): boolean {
    return this.#requests.get(id)?.isSent === true;
  }

  add(feed: Feed): void {
    this.#feeds.add(feed);
    void this.#subscribe(feed);
  }

  /** Ends a subscription here and on the server. */
  remove(feed: Feed): void {
    this.#feeds.delete(feed);
    for (const [id, request] of this.#requests)
      if (request.feed === feed && !request.isSent) this.#requests.delete(id);
    for (const [id, other] of this.#accepted) if (other === feed) this.#unsubscribe(feed, id);
  }

  close(): void {
    this.#isClosed = true;
    for (const { stream } of this.#feeds) stream.close();
    this.#drop('the client is closed');
  }

  #connect(): void {
    const isNeeded = this.#requests.size > 0 || this.#feeds.size > 0;
    if (this.#socket || this.#isPausing || this.#isClosed || !isNeeded) return;
    const { open, url, onState, heartbeat_ms } = this.#options;
    onState?.('connecting');
    const socket = open(url);
    this.#socket = socket;
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#receive(parseJson(String(data)) as Message | Message[]);
    socket.onclose = ({ code, reason }) =>
      this.#drop(
        `${url}: ${this.#isOpen ? 'the connection ended' : 'no connection'} (${code}${reason && ` ${reason}`})`,
      );
    // `close` follows.
    socket.onerror = () => {};
    this.#timer = setTimeout(() => this.#drop(`${url}: no connection in time`), heartbeat_ms);
  }

  #opened(): void {
    this.#isOpen = true;
    this.#isSilent = false;
    this.#options.onState?.('open');
    this.#watch();
    for (const feed of this.#feeds) if (!feed.isAsked) void this.#subscribe(feed);
    this.#flush();
  }

  /** Watches for a silent connection. A browser shows no pings: the client asks for a sign of life, and any message is one. */
  #watch(): void {
    const { url, heartbeat_ms } = this.#options;
    clearTimeout(this.#timer);
    const since = Date.now();
    this.#timer = setTimeout(() => {
      // A program or page that was held up has not read yet what has come meanwhile.
      const wasHeldUp = Date.now() - since > 2 * heartbeat_ms;
      if (this.#isSilent && !wasHeldUp) return this.#drop(`${url}: no sign of life`);
      this.#isSilent = true;
      this.#send('svc-server_hello', []);
      this.#watch();
    }, heartbeat_ms);
  }

  /** Tells whether the connection takes messages: one that the server closes takes none, though it has not ended yet, and calls wait for the next. */
  get #isWritable(): boolean {
    return this.#isOpen && this.#socket?.readyState === OPEN;
  }

  #flush(): void {
    if (!this.#isWritable) return;
    for (const request of this.#requests.values()) {
      if (!request.isSent) this.#socket?.send(request.text);
      request.isSent = true;
    }
  }

  /** Sends a call for whose answer no one waits. */
  #send(method: string, params: unknown[]): void {
    if (this.#isWritable)
      this.#socket?.send(stringifyJson({ jsonrpc: '2.0', id: '', method, params }));
  }

  #receive(message: Message | Message[]): void {
    this.#isSilent = false;
    this.#failures = 0;
    if (Array.isArray(message)) {
      this.#answer(message.find(({ id }) => this.#requests.has(id))?.id, message);
    } else if (message.method !== undefined) {
      const { subscription, result, error } = message.params ?? {};
      const stream = this.#accepted.get(subscription)?.stream;
      if (error === undefined) stream?.push(result);
      else stream?.fail(new RpcError(999, String(error)));
    } else if (message.id !== null) {
      this.#answer(message.id, message);
    } else {
      // The error stands for a whole batch, and does not say which.
      for (const [id, { text, isSent }] of this.#requests)
        if (isSent && text.startsWith('[')) this.#answer(id, message);
    }
  }

  #answer(id: unknown, message: Message | Message[]): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    // Items may follow in the same turn: a subscription is known before its promise resolves.
    if (request?.feed) this.#accept(request.feed, message as Message);
    request?.answer(message);
  }

  #accept(feed: Feed, { result, error }: Message): void {
    if (error) return;
    if (this.#feeds.has(feed)) this.#accepted.set(result, feed);
    else this.#unsubscribe(feed, result);
  }

  #unsubscribe({ unsubscribe }: Feed, subscription: unknown): void {
    this.#accepted.delete(subscription);
    this.#send(unsubscribe, [subscription]);
  }

  async #subscribe(feed: Feed): Promise<void> {
    feed.isAsked = true;
    try {
      await feed.subscribe();
      feed.stream.accepted();
    } catch (error) {
      feed.isAsked = false;
      const isOutage = error instanceof ConnectionError && this.#mayReturn;
      if (!isOutage) feed.stream.fail(error);
    }
  }

  get #mayReturn(): boolean {
    return !this.#isClosed && this.#options.reconnect !== false;
  }

  /** Drops the connection. Calls that were sent and not answered fail: they may have run, so they are not sent again. */
  #drop(reason: string): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    for (const feed of this.#accepted.values()) feed.isAsked = false;
    this.#accepted.clear();
    for (const [id, { isSent, fail }] of this.#requests) {
      if (this.#mayReturn && !isSent) continue;
      this.#requests.delete(id);
      fail(new ConnectionError(reason, isSent));
    }
    if (!this.#mayReturn)
      for (const { stream } of this.#feeds) stream.fail(new ConnectionError(reason, true));
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#options.onState?.('closed');
    void this.#pause();
  }

  async #pause(): Promise<void> {
    const { reconnect, wait, pause_ms } = this.#options;
    if (!reconnect || this.#isClosed) return;
    const { min_ms, max_ms } = reconnect;
    this.#isPausing = true;
    await wait(pause_ms(Math.min(max_ms, min_ms * 2 ** this.#failures++)));
    this.#isPausing = false;
    this.#connect();
  }
}
