import type { Example } from '@svc/plugin-sdk';
import type { TestApp, TestSocket } from '@svc/plugin-sdk/testing';

/** An example and what the server said to it. */
export interface Played {
  readonly example: Example;
  readonly answer: any;
  /** The first item of a stream. */
  item?: any;
}

const PATIENCE_MS = 60_000;

/** Answers that hold more than a page should show: what is shown is somewhere among it. */
const LONG = new Set([
  'alert_rule_list',
  'alert_rule_variables',
  'channel_kinds',
  'monitor_kinds',
  'rpc.discover',
  'svc-server_config_warnings',
  'svc-server_database_storage',
  'svc-server_log',
  'svc-server_plugins',
  'svc-server_stream_log',
]);

/** True when the answer has the members and types that are shown; lists may go on, and what may be null is null or not. */
export const shows = (given: unknown, shown: unknown, method: string): boolean =>
  fits(given, shown, LONG.has(method));

function fits(given: unknown, shown: unknown, isLong: boolean): boolean {
  if (given === null || shown === null) return given !== undefined && shown !== undefined;
  if (typeof given !== 'object' || typeof shown !== 'object') return typeof given === typeof shown;
  if (Array.isArray(given) !== Array.isArray(shown)) return false;
  if (isLong && Array.isArray(given) && Array.isArray(shown))
    return shown.every((value) => given.some((each) => fits(each, value, isLong)));
  const isWhole =
    isLong || Array.isArray(given) || Object.keys(given).every((name) => name in shown);
  return (
    isWhole &&
    Object.entries(shown).every(([name, value]) => fits((given as any)[name], value, isLong))
  );
}

/** How calls reach the server; undefined: as usual, over POST, and streams over a WebSocket. */
export interface Ways {
  /** Params hold the server's own values, and no credential. undefined: this one goes the usual way. */
  call?(example: Example, params: Example['params']): Promise<any>;
  /** Gives the items of a stream until `signal` aborts. Resolves when the server has accepted it. */
  stream?(
    example: Example,
    params: Example['params'],
    give: (item: unknown) => void,
    signal: AbortSignal,
  ): Promise<{ readonly ended: Promise<unknown> }>;
}

/** Plays examples in their order: what an answer shows stands for what the server gave instead. */
export class Player {
  readonly #app: TestApp;
  readonly #ways: Ways;
  readonly #ended = new AbortController();
  readonly #opened: Promise<unknown>[] = [];
  readonly #values = new Map<unknown, unknown>();
  readonly #streams: Played[] = [];
  readonly #items: any[] = [];
  #socket: TestSocket | undefined;

  constructor(app: TestApp, ways: Ways = {}) {
    this.#app = app;
    this.#ways = ways;
  }

  async play(examples: readonly Example[]): Promise<Played[]> {
    const played: Played[] = [];
    let waiting: { readonly example: Example; readonly answer: Promise<any> } | undefined;
    for (const example of examples) {
      const answer = this.#send(example);
      if (example.method.endsWith('_blocking') && !example.error) {
        // The next example lets it end; its item carries what its answer shows.
        waiting = { example, answer };
        this.#learn(example.result, (await this.#nextItem()).params.result);
        continue;
      }
      played.push(this.#done(example, await answer));
      if (waiting) played.push(this.#done(waiting.example, await waiting.answer));
      waiting = undefined;
    }
    for (const stream of this.#streams) {
      stream.item ??= (await this.#nextItem(stream.answer.result)).params.result;
    }
    this.#socket?.close();
    this.#socket = undefined;
    this.#ended.abort();
    await Promise.all(this.#opened);
    return played;
  }

  #done(example: Example, answer: any): Played {
    const played: Played = { example, answer };
    this.#learn(example.result, answer.result);
    if (example.item !== undefined) this.#streams.push(played);
    return played;
  }

  async #send(example: Example): Promise<any> {
    const { method } = example;
    const isStream = 'item' in example;
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const params = this.#own(await this.#withItems(example));
      const request = {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...this.#credential(method), ...params },
      };
      if (isStream) return this.#open(example, params, request);
      const answer = (await this.#ways.call?.(example, params)) ?? (await this.#app.rpc(request));
      // Runs and jobs leave their records some time later.
      const isLate =
        method.endsWith('_query') &&
        Date.now() < end &&
        !shows(answer.result, example.result, method);
      if (!isLate || example.error || example.result === undefined) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #credential(method: string) {
    const { methods } = this.#app.kernel as { methods: Map<string, { credential?: string }> };
    const name = methods.get(method)?.credential;
    return name === undefined ? {} : { [name]: this.#app.superToken };
  }

  /** A call that carries what an item said waits for the item. */
  async #withItems({ params }: Example): Promise<Example['params']> {
    const text = JSON.stringify(params);
    for (const stream of this.#streams) {
      const { task_token } = (stream.example.item ?? {}) as { task_token?: string };
      if (stream.item || task_token === undefined || !text.includes(task_token)) continue;
      stream.item = (await this.#nextItem(stream.answer.result)).params.result;
      this.#learn(stream.example.item, stream.item);
    }
    return params;
  }

  async #open(
    example: Example,
    params: Example['params'],
    request: { readonly method: string; readonly params: unknown },
  ) {
    if (this.#ways.stream) {
      const subscription = this.#opened.length;
      const give = (result: unknown) => void this.#items.push({ params: { subscription, result } });
      const { ended } = await this.#ways.stream(example, params, give, this.#ended.signal);
      this.#opened.push(ended);
      return { result: subscription };
    }
    this.#socket ??= await this.#connect();
    return { result: await this.#socket.call(request.method, request.params) };
  }

  async #connect(): Promise<TestSocket> {
    const socket = await this.#app.connect();
    socket.raw.on('message', (data: Buffer) => {
      const frame = JSON.parse(String(data));
      if (frame.params?.subscription !== undefined) this.#items.push(frame);
    });
    return socket;
  }

  async #nextItem(subscription?: number): Promise<any> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
      const at = this.#items.findIndex(
        ({ params }) => subscription === undefined || params.subscription === subscription,
      );
      if (at >= 0) return this.#items.splice(at, 1)[0];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('no item came');
  }

  /** Remembers long texts and ids that this server gave in place of those that are shown. */
  #learn(shown: unknown, given: unknown, name = ''): void {
    if (
      typeof shown === 'object' &&
      shown !== null &&
      typeof given === 'object' &&
      given !== null
    ) {
      for (const [member, value] of Object.entries(shown))
        this.#learn(value, (given as Record<string, unknown>)[member], member);
    } else if (isLearnt(shown, name) && given !== undefined) this.#values.set(keyOf(shown), given);
  }

  #own(value: any, name = ''): any {
    if (isLearnt(value, name)) return this.#values.get(keyOf(value)) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#own(item, name));
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, this.#own(inner, member)]),
    );
  }
}

const keyOf = (value: unknown) => `${typeof value} ${value}`;

const isLearnt = (value: unknown, name: string): boolean =>
  typeof value === 'string'
    ? value.length >= 10
    : typeof value === 'number' && /(?:^|_)id$/.test(name);
