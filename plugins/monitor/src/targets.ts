import { hostOf, toldTarget } from './spec.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { ListedMonitor } from './store/rows.ts';
import { slices } from './store/sql.ts';

interface Target {
  readonly version: number;
  readonly target: string;
  readonly host: string;
}

/** What monitors check, read anew where a monitor was changed. */
export class Targets {
  readonly #store: Pick<MonitorStore, 'byIds'>;
  readonly #byId = new Map<number, Target>();

  constructor(store: Pick<MonitorStore, 'byIds'>) {
    this.#store = store;
  }

  of(id: number): Pick<Target, 'target' | 'host'> {
    const { target = '', host = '' } = this.#byId.get(id) ?? {};
    return { target, host };
  }

  /** Brings them up to date with these monitors, which are all. @throws RpcError 103 */
  async read(all: readonly ListedMonitor[]): Promise<void> {
    const ids = new Set(all.map(({ id }) => id));
    for (const id of this.#byId.keys()) if (!ids.has(id)) this.#byId.delete(id);
    const changed = all.filter(({ id, version }) => this.#byId.get(id)?.version !== version);
    for (const some of slices(changed))
      for (const monitor of await this.#store.byIds(some.map(({ id }) => id))) {
        const { id, version } = monitor;
        const host = hostOf(monitor)
          .toLowerCase()
          .replace(/^\[|\]$/g, '');
        this.#byId.set(id, { version, target: toldTarget(monitor), host });
      }
  }
}
