import { type Signal, signal } from '@preact/signals';
import type { Client, Methods, RpcError, Subscriptions } from '@svc/client';
import { wire } from './meta.ts';

type Answer =
  | { readonly status: 'fulfilled'; readonly value: { readonly allowed: boolean | null } }
  | { readonly status: 'rejected'; readonly reason: RpcError };

/**
 * Reads an answer: no one may call a method that the server lacks; where the question lacks parameters only the call itself
 * decides.
 */
export function allowedBy(answer: Answer): boolean | null {
  if (answer.status === 'fulfilled') return answer.value.allowed;
  return answer.reason.message.includes('has no method') ? false : null;
}

/** Rights of the token, as the server explains them. */
export class Rights {
  readonly #client: Client<Methods, Subscriptions>;
  readonly #answers = new Map<string, Signal<boolean | null | undefined>>();
  #queue: { readonly method: string; readonly params: object | undefined; readonly key: string }[] =
    [];

  constructor(client: Client<Methods, Subscriptions>) {
    this.#client = client;
  }

  set(key: string, allowed: boolean | null): void {
    const found = this.#answers.get(key);
    if (found) found.value = allowed;
    else this.#answers.set(key, signal(allowed));
  }

  of(method: string, params?: object): boolean | null | undefined {
    const key = params === undefined ? method : `${method} ${JSON.stringify(params)}`;
    const found = this.#answers.get(key);
    if (found) return found.value;
    const made = signal<boolean | null | undefined>(undefined);
    this.#answers.set(key, made);
    if (this.#queue.length === 0) queueMicrotask(() => void this.#send());
    this.#queue.push({ method, params, key });
    return made.value;
  }

  async #send(): Promise<void> {
    const asked = this.#queue;
    this.#queue = [];
    try {
      const answers = await this.#client.batch(
        asked.map(({ method, params }) => [
          'token_explain',
          { method: wire(method), ...(params && { params: params as Record<string, unknown> }) },
        ]),
      );
      for (const [at, { key }] of asked.entries()) {
        const answer = answers[at];
        if (answer) this.set(key, allowedBy(answer));
      }
    } catch {
      // The connection broke: the next question is sent again.
      for (const { key } of asked) this.#answers.delete(key);
    }
  }
}
