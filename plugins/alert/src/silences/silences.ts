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

  /** Reads what is new; a scope never changes, and is read once. @throws RpcError 103 */
  async reload(now: number): Promise<void> {
    const before = new Map(this.#current.map((silence) => [silence.id, silence]));
    const times = await this.#store.times(now);
    const unknown = times.flatMap(({ id }) => (before.has(id) ? [] : id));
    for (const silence of await this.#store.byIds(unknown)) before.set(silence.id, silence);
    this.#current = times.flatMap(({ id, starts_at, ends_at }) => {
      const silence = before.get(id);
      if (!silence) return [];
      const isSame = silence.starts_at === starts_at && silence.ends_at === ends_at;
      return isSame ? silence : { ...silence, starts_at, ends_at };
    });
  }

  find(id: number): Silence | undefined {
    return this.#current.find((silence) => silence.id === id);
  }

  /** The silence that hides an alert now, of several the one that ends last. */
  active(facts: Facts, now: number): Silence | undefined {
    return this.#current.findLast(
      ({ scope, starts_at, ends_at }) => starts_at <= now && now < ends_at && matches(scope, facts),
    );
  }
}
