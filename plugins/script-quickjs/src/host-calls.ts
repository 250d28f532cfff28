import type { ScriptHost } from './api.ts';
import { fetchOrder } from './fetch-order.ts';
import { Fetches } from './fetches.ts';
import { type Gate, gate } from './gate.ts';
import type { Answer } from './messages.ts';

/** Requests of one run to its owner: host functions and fetches. They end with the run. */
export class HostCalls {
  readonly #host: ScriptHost;
  /** Most runs ask for nothing. */
  #gates: Map<string, Gate> | undefined;
  #fetches: Fetches | undefined;
  #over = false;

  constructor(host: ScriptHost) {
    this.#host = host;
  }

  /** @throws Error that the script sees */
  async answer(kind: string, text: string, bytes: Uint8Array | undefined): Promise<Answer> {
    if (this.#over) throw ended();
    switch (kind) {
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
        return { text: await this.#function(kind, text) };
    }
  }

  /** The script's thread does not hold this body any more. */
  released(body: number): void {
    this.#fetches?.released(body);
  }

  end(): void {
    this.#over = true;
    this.#fetches?.end();
    this.#host.ended();
  }

  #function(name: string, text: string): Promise<string> {
    const { functions } = this.#host;
    const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!called) throw new TypeError('unknown request');
    this.#gates ??= new Map();
    const through = this.#gates.get(name) ?? gate(called.atOnce);
    this.#gates.set(name, through);
    // What waited until the run was over is not begun.
    return through(() => (this.#over ? Promise.reject(ended()) : called.answer(text)));
  }

  #fetching(): Fetches {
    this.#fetches ??= new Fetches((request) => this.#host.fetch(request));
    return this.#fetches;
  }
}

const ended = (): Error => new Error('the run has ended');
