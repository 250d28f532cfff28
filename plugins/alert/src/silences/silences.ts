import type { Silence } from '../types.ts';
import { type Facts, matches } from './matcher.ts';
import type { SilenceStore } from './store.ts';

/** The silences that hold or lie ahead, in memory. */
export class Silences {
  readonly #store: SilenceStore;
  #current: readonly Silence[] = [];

  constructor(store: SilenceStore) {
    this.#store = store;
  }

  /** Reads the table again. @throws RpcError 103 */
  async reload(now: number): Promise<void> {
    this.#current = await this.#store.current(now);
  }

  /** The silence that hides an alert now, of several the one that ends last. */
  active(facts: Facts, now: number): Silence | undefined {
    return this.#current.findLast(
      ({ scope, starts_at, ends_at }) => starts_at <= now && now < ends_at && matches(scope, facts),
    );
  }
}
