import { setImmediate as breathe } from 'node:timers/promises';
import type { Requirement } from '@svc/plugin-sdk';
import type { Silence } from '../types.ts';
import { type Facts, matches } from './matcher.ts';
import { mayHide } from './rights.ts';
import type { SilenceStore } from './store.ts';

/** Silences whose owners are asked for in one turn of the event loop. */
const SLICE = 20;

/** Tells whether what a token wrote is without effect: with `on_delete = "suspend"`, when the token is gone or lost a right to it. */
export type IsSuspended = (
  owner: string | null,
  wanted: readonly Requirement[],
) => boolean | Promise<boolean>;

/** The silences that hold or lie ahead, in memory. */
export class Silences {
  readonly #store: SilenceStore;
  readonly #isSuspended: IsSuspended;
  #current: readonly Silence[] = [];
  #suspended: ReadonlySet<number> = new Set();

  constructor(store: SilenceStore, isSuspended: IsSuspended) {
    this.#store = store;
    this.#isSuspended = isSuspended;
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
    this.#suspended = await this.#findSuspended();
  }

  async #findSuspended(): Promise<ReadonlySet<number>> {
    const suspended = new Set<number>();
    let asked = 0;
    for (const { id, owner, scope } of this.#current) {
      if (owner === null) continue;
      if (await this.#isSuspended(owner, [mayHide('silence', scope)])) suspended.add(id);
      if (++asked % SLICE === 0) await breathe();
    }
    return suspended;
  }

  get haveOwners(): boolean {
    return this.#current.some(({ owner }) => owner !== null);
  }

  /** Tells whether it hides nothing, because of its owner. */
  isSuspended(id: number): boolean {
    return this.#suspended.has(id);
  }

  find(id: number): Silence | undefined {
    return this.#current.find((silence) => silence.id === id);
  }

  /** The silence that hides an alert now, of several the one that ends last. */
  active(facts: Facts, now: number): Silence | undefined {
    return this.#current.findLast(
      ({ id, scope, starts_at, ends_at }) =>
        starts_at <= now && now < ends_at && !this.#suspended.has(id) && matches(scope, facts),
    );
  }
}
