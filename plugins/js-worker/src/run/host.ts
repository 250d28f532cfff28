import type { EgressClient } from '@svc/plugin-egress/api';
import type {
  FetchRequest,
  FetchResponse,
  HostFunction,
  ScriptHost,
} from '@svc/plugin-script-quickjs/api';
import { parseJson, stringifyJson } from '@svc/plugin-sdk/json';
import { type InlineOrder, inlineOrder } from './inline-order.ts';
import type { Room } from './pool.ts';

const MOST_CALLS = 64;
const MOST_INLINE = 64;
const NO_ID =
  "Error converting from js 'jsonrpc_module' into type 'String': the request has no usable id";

export interface HostOptions {
  /** One JSON-RPC request through the whole pipeline. */
  readonly request: (request: unknown) => Promise<unknown>;
  readonly inline: (order: InlineOrder) => Promise<string>;
  /** Tells whether the run that called this one goes on. */
  readonly isWanted?: (() => boolean) | undefined;
  readonly egress: EgressClient;
  /** The token that causes the run. */
  readonly share: string;
  /** A fetch was refused or failed, and the script has not given it up. */
  readonly fetchFailed: (url: string, error: Error) => void;
  readonly log: ScriptHost['log'];
}

/** Services of the server for one run; they end with it. */
export class RunHost implements ScriptHost {
  readonly functions: { readonly [name: string]: HostFunction };
  readonly log: ScriptHost['log'];
  admitted: (() => void) | undefined;
  /** Room of a context for this run alone. */
  room: Room | undefined;
  readonly #options: HostOptions;
  #over = false;

  constructor(options: HostOptions) {
    this.#options = options;
    this.log = options.log;
    this.functions = {
      rpc: { atOnce: MOST_CALLS, answer: (text) => this.#rpc(text) },
      inline: {
        atOnce: MOST_INLINE,
        answer: async (text) => options.inline(inlineOrder(JSON.parse(text))),
      },
    };
  }

  async fetch(request: FetchRequest): Promise<FetchResponse> {
    const { egress, fetchFailed, share } = this.#options;
    const failed = (error: Error) => {
      if (!request.signal.aborted) fetchFailed(request.url, error);
    };
    try {
      const response = await egress.request({ ...request, share });
      response.body.once('error', failed);
      return response;
    } catch (error) {
      failed(error as Error);
      throw error;
    }
  }

  /** Tells whether the run goes on, and those that called it. */
  isWanted(): boolean {
    return !this.#over && (this.#options.isWanted?.() ?? true);
  }

  refusal(): string | undefined {
    return this.room?.acquire();
  }

  ended(): void {
    this.#over = true;
    this.room?.release();
  }

  /** @param text a request, or a JSON string that holds its text: that one reaches the server as it was written */
  async #rpc(text: string): Promise<string> {
    const request = text.startsWith('"') ? String(JSON.parse(text)) : text;
    const answer = await this.#options.request(parseJson(request));
    if (answer === undefined) throw new TypeError(NO_ID);
    return stringifyJson(answer);
  }
}
