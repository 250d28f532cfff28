import type { Readable } from 'node:stream';
import { parseJson, stringifyJson } from '@svc/plugin-sdk';
import type { Egress, ScriptAnswer, ScriptHost } from '../api.ts';
import { type Gate, gate } from './gate.ts';
import { type FetchOrder, fetchOrder, type InlineOrder, inlineOrder, rpcText } from './orders.ts';

/** Fetches of one run at a time; more wait (js-runtime.md §6.1). */
const MOST_FETCHES = 500;
const MOST_CALLS = 64;
const MOST_INLINE = 64;
/** Bytes of fetched bodies that are held for one run. */
const MOST_HELD = 64 * 1_048_576;

export interface HostOptions {
  /** One JSON-RPC request through the whole pipeline. */
  readonly request: (request: unknown) => Promise<unknown>;
  readonly inline: (order: InlineOrder) => Promise<string>;
  /** False when whoever called the run has ended. */
  readonly isWanted?: (() => boolean) | undefined;
  readonly egress: Egress;
  readonly log: ScriptHost['log'];
}

/** What one run has from the server; it ends with the run. */
export class RunHost implements ScriptHost {
  readonly log: ScriptHost['log'];
  readonly #options: HostOptions;
  /** Most runs fetch nothing. */
  #abort: AbortController | undefined;
  #over = false;
  readonly #bodies = new Map<number, Readable>();
  readonly #fetches: Gate = gate(MOST_FETCHES);
  readonly #calls: Gate = gate(MOST_CALLS);
  readonly #inlines: Gate = gate(MOST_INLINE);
  #lastBody = 0;
  #held = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.log = options.log;
  }

  ended(): void {
    this.#over = true;
    this.#abort?.abort();
    for (const body of this.#bodies.values()) body.destroy();
    this.#bodies.clear();
  }

  async answer(kind: string, text: string, bytes: Uint8Array | undefined): Promise<ScriptAnswer> {
    switch (kind) {
      case 'rpc':
      case 'rpctext':
        return { text: await this.#gated(this.#calls, () => this.#rpc(rpcText(kind, text))) };
      case 'inline': {
        const order = inlineOrder(JSON.parse(text));
        return { text: await this.#gated(this.#inlines, () => this.#options.inline(order)) };
      }
      case 'fetch':
        return this.#fetch(fetchOrder(JSON.parse(text)), bytes);
      case 'pull':
        return this.#pull(JSON.parse(text) as number);
      case 'chunk':
        return this.#chunk(...(JSON.parse(text) as [number]));
      default:
        throw new TypeError('unknown request');
    }
  }

  /** False from the end of the run on, and of those that called it. */
  isWanted(): boolean {
    return !this.#over && (this.#options.isWanted?.() ?? true);
  }

  /** What waited until the run was over is not begun. */
  #gated<T>(through: Gate, work: () => Promise<T>): Promise<T> {
    return through(() => (this.#over ? Promise.reject(new Error('the run has ended')) : work()));
  }

  async #rpc(text: string): Promise<string> {
    const answer = await this.#options.request(parseJson(text));
    if (answer === undefined)
      throw new TypeError(
        "Error converting from js 'jsonrpc_module' into type 'String': the request has no usable id",
      );
    return stringifyJson(answer);
  }

  async #fetch(order: FetchOrder, bytes: Uint8Array | undefined): Promise<ScriptAnswer> {
    const { url, method, headers, redirect, body } = order;
    const answer = await this.#gated(this.#fetches, () =>
      this.#options.egress.request({
        url,
        method,
        headers,
        redirect,
        body: body ? (bytes ?? new Uint8Array()) : undefined,
        signal: this.#signal(),
      }),
    );
    const empty = method === 'HEAD' || [204, 205, 304].includes(answer.status);
    const id = ++this.#lastBody;
    if (empty) answer.body.resume();
    else {
      // An error that comes before anybody reads is kept by the stream for who reads then.
      answer.body.on('error', () => undefined);
      this.#bodies.set(id, answer.body);
    }
    const { status, redirected } = answer;
    const facts = { status, redirected, url: answer.url, headers: answer.headers };
    return { text: JSON.stringify({ ...facts, body: empty ? null : id }) };
  }

  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort();
    return this.#abort.signal;
  }

  async #pull(id: number): Promise<ScriptAnswer> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of this.#open(id)) {
        this.#held += (chunk as Buffer).length;
        if (this.#held > MOST_HELD)
          throw new Error(`one run may hold ${MOST_HELD} bytes of bodies`);
        chunks.push(chunk as Buffer);
      }
    } catch (error) {
      throw failed(error);
    }
    this.#bodies.delete(id);
    const whole = new Uint8Array(Buffer.concat(chunks));
    return { text: 'null', bytes: whole, body: id };
  }

  async #chunk(id: number): Promise<ScriptAnswer> {
    const body = this.#open(id);
    try {
      for (;;) {
        const chunk = body.read() as Buffer | null;
        if (chunk !== null) return { text: String(chunk.length), bytes: new Uint8Array(chunk) };
        if (body.readableEnded || body.destroyed) {
          if (body.errored) throw body.errored;
          return { text: 'null' };
        }
        await nextEvent(body);
      }
    } catch (error) {
      throw failed(error);
    }
  }

  #open(id: number): Readable {
    const body = this.#bodies.get(id);
    if (!body) throw new TypeError('the body is gone');
    return body;
  }
}

const failed = (error: unknown): TypeError =>
  new TypeError('Failed to fetch', { cause: (error as Error).message });

function nextEvent(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    const names = ['readable', 'end', 'close', 'error'] as const;
    const done = () => {
      for (const name of names) body.off(name, done);
      resolve();
    };
    for (const name of names) body.on(name, done);
  });
}
