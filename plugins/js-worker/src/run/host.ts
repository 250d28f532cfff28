import type { EgressClient } from '@svc/plugin-egress/api';
import type { ScriptAnswer, ScriptHost } from '@svc/plugin-script-quickjs/api';
import { parseJson, stringifyJson } from '@svc/plugin-sdk';
import { Fetches } from './fetches.ts';
import { type Gate, gate } from './gate.ts';
import { fetchOrder, type InlineOrder, inlineOrder, rpcText } from './orders.ts';
import type { Turn } from './pooled.ts';

const MOST_CALLS = 64;
const MOST_INLINE = 64;

export interface HostOptions {
  /** One JSON-RPC request through the whole pipeline. */
  readonly request: (request: unknown) => Promise<unknown>;
  readonly inline: (order: InlineOrder) => Promise<string>;
  /** False when whoever called the run has ended. */
  readonly isWanted?: (() => boolean) | undefined;
  readonly egress: EgressClient;
  readonly log: ScriptHost['log'];
}

/** What one run has from the server; it ends with the run. */
export class RunHost implements ScriptHost {
  readonly log: ScriptHost['log'];
  /** While the run waits. */
  turn: Turn | undefined;
  readonly #options: HostOptions;
  #over = false;
  /** Most runs fetch nothing. */
  #fetches: Fetches | undefined;
  readonly #calls: Gate = gate(MOST_CALLS);
  readonly #inlines: Gate = gate(MOST_INLINE);

  constructor(options: HostOptions) {
    this.#options = options;
    this.log = options.log;
  }

  ended(): void {
    this.#over = true;
    this.#fetches?.end();
  }

  async answer(kind: string, text: string, bytes: Uint8Array | undefined): Promise<ScriptAnswer> {
    if (this.#over) throw new Error('the run has ended');
    switch (kind) {
      case 'rpc':
      case 'rpctext':
        return { text: await this.#gated(this.#calls, () => this.#rpc(rpcText(kind, text))) };
      case 'inline': {
        const order = inlineOrder(JSON.parse(text));
        return { text: await this.#gated(this.#inlines, () => this.#options.inline(order)) };
      }
      case 'fetch':
        return this.#fetching().start(fetchOrder(JSON.parse(text)), bytes);
      case 'pull':
        return this.#fetching().pull(JSON.parse(text) as number);
      case 'chunk':
        return this.#fetching().chunk(...(JSON.parse(text) as [number]));
      case 'cancel':
        this.#fetches?.cancel(JSON.parse(text) as number);
        return { text: 'null' };
      default:
        throw new TypeError('unknown request');
    }
  }

  /** False from the end of the run on, and of those that called it, and when it has waited for too long. */
  isWanted(): boolean {
    return !this.#over && this.turn?.isWanted !== false && (this.#options.isWanted?.() ?? true);
  }

  begun(): void {
    this.turn?.begun();
  }

  released(body: number): void {
    this.#fetches?.released(body);
  }

  #fetching(): Fetches {
    this.#fetches ??= new Fetches(this.#options.egress);
    return this.#fetches;
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
}
