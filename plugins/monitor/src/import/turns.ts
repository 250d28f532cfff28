import { RpcError } from '@svc/plugin-sdk';

/** Files of tokens that are read at a time: each may take much memory. */
const MOST_OF_TOKENS = 2;

/** Bound of imports that run at a time: one of each token, some of all; those of the Super Token always. */
export class Turns {
  readonly #running = new Set<string>();

  /** `owner`: token; null: the Super Token. @throws RpcError 108 */
  async run<T>(owner: string | null, work: () => Promise<T>): Promise<T> {
    if (owner === null) return work();
    if (this.#running.has(owner))
      throw RpcError.invalid('an import of this token is running: wait until it has ended');
    if (this.#running.size >= MOST_OF_TOKENS)
      throw RpcError.invalid('others import now: try again in a minute');
    this.#running.add(owner);
    try {
      return await work();
    } finally {
      this.#running.delete(owner);
    }
  }
}
