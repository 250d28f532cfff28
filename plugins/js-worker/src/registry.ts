import { Type, topic } from '@svc/plugin-sdk';
import { Int64 } from '@svc/plugin-sdk/schemas';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { Worker, WorkerStore } from './store/workers.ts';

const MOST = 2_000;
/** A message of another server may be lost: nothing is believed for longer, ms. */
const FRESH_MS = 500;

/** Workers by route name, as far as requests have asked for them. Forgotten as a whole when anything changes. */
export class RouteCache {
  readonly #store: Pick<WorkerStore, 'byRoute'>;
  readonly #routes = new BoundedCache<string, { readonly worker: Worker; readonly read: number }>({
    most: MOST,
  });
  readonly #now: () => number;
  #generation = 0;

  constructor(store: Pick<WorkerStore, 'byRoute'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async find(route: string): Promise<Worker | undefined> {
    const cached = this.#routes.get(route);
    const now = this.#now();
    if (cached && Math.abs(now - cached.read) < FRESH_MS) return cached.worker;
    const generation = this.#generation;
    const worker = await this.#store.byRoute(route);
    // What was read may be what a change has just replaced.
    if (worker && generation === this.#generation) this.#routes.set(route, { worker, read: now });
    if (!worker) this.#routes.delete(route);
    return worker;
  }

  forget(): void {
    this.#generation++;
    this.#routes.clear();
  }
}

/** A worker was written or deleted. `cancel`: what runs that wait end with. */
export const WorkerChanged = topic(
  'js-worker.changed',
  Type.Object({ id: Int64, cancel: Type.Optional(Type.String()) }),
);
