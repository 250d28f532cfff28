import { type Signal, signal } from '@preact/signals';
import type { Client, Methods, RpcError, Subscriptions } from '@svc/client';
import { wire } from './meta.ts';

type Answer =
  | { readonly status: 'fulfilled'; readonly value: { readonly allowed: boolean | null } }
  | { readonly status: 'rejected'; readonly reason: RpcError };

/** A method that the server lacks is nobody's; where the question lacks parameters only the call itself decides. */
export function allowedBy(answer: Answer): boolean | null {
  if (answer.status === 'fulfilled') return answer.value.allowed;
  return answer.reason.message.includes('has no method') ? false : null;
}

/** What the token may, as the server explains it. */
export class Rights {
  readonly #client: Client<Methods, Subscriptions>;
  readonly #known = new Map<string, Signal<boolean | null | undefined>>();
  #asked: { readonly method: string; readonly params: object | undefined; readonly key: string }[] =
    [];

  constructor(client: Client<Methods, Subscriptions>) {
    this.#client = client;
  }

  put(key: string, allowed: boolean | null): void {
    const found = this.#known.get(key);
    if (found) found.value = allowed;
    else this.#known.set(key, signal(allowed));
  }

  of(method: string, params?: object): boolean | null | undefined {
    const key = params === undefined ? method : `${method} ${JSON.stringify(params)}`;
    const found = this.#known.get(key);
    if (found) return found.value;
    const made = signal<boolean | null | undefined>(undefined);
    this.#known.set(key, made);
    if (this.#asked.length === 0) queueMicrotask(() => void this.#ask());
    this.#asked.push({ method, params, key });
    return made.value;
  }

  async #ask(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const answers = await this.#client.batch(
        asked.map(({ method, params }) => [
          'token_explain',
          { method: wire(method), ...(params && { params: params as Record<string, unknown> }) },
        ]),
      );
      for (const [at, { key }] of asked.entries()) {
        const answer = answers[at];
        if (answer) this.put(key, allowedBy(answer));
      }
    } catch {
      // The connection broke: whoever asks again is answered anew.
      for (const { key } of asked) this.#known.delete(key);
    }
  }
}
