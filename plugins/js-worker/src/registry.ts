import { Type, topic } from '@svc/plugin-sdk';
import { Int64 } from '@svc/plugin-sdk/schemas';
import type { Worker, WorkerStore } from './store/workers.ts';

const MOST = 2_000;
/** A message of another server may be lost: nothing is believed for longer, ms. */
const FRESH_MS = 500;

/** Workers by route name, as far as requests have asked for them. Forgotten as a whole when anything changes. */
export class RouteCache {
  readonly #store: Pick<WorkerStore, 'byRoute'>;
  readonly #known = new Map<string, { readonly worker: Worker; readonly read: number }>();
  readonly #now: () => number;
  #generation = 0;

  constructor(store: Pick<WorkerStore, 'byRoute'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async find(route: string): Promise<Worker | undefined> {
    const known = this.#known.get(route);
    const now = this.#now();
    if (known && Math.abs(now - known.read) < FRESH_MS) return known.worker;
    const generation = this.#generation;
    const worker = await this.#store.byRoute(route);
    // What was read may be what a change has just replaced.
    if (worker && generation === this.#generation) {
      if (this.#known.size >= MOST) this.#known.clear();
      this.#known.set(route, { worker, read: now });
    }
    if (!worker) this.#known.delete(route);
    return worker;
  }

  forget(): void {
    this.#generation++;
    this.#known.clear();
  }
}

/** A worker was written or deleted. `cancel`: what runs that wait end with. */
export const WorkerChanged = topic(
  'js-worker.changed',
  Type.Object({ id: Int64, cancel: Type.Optional(Type.String()) }),
);
