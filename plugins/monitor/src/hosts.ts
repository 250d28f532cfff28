import { hostOf } from './spec.ts';
import { type MonitorStore, PAGE_ROWS } from './store/monitors.ts';
import type { ListedMonitor } from './store/rows.ts';
import { slices } from './store/sql.ts';

/** Hosts that monitors check; settings are read again where they changed. */
export class Hosts {
  readonly #store: Pick<MonitorStore, 'byIds'>;
  #known: ReadonlyMap<number, { readonly version: number; readonly host: string }> = new Map();

  constructor(store: Pick<MonitorStore, 'byIds'>) {
    this.#store = store;
  }

  /** Returns the host of each of these monitors, lower case, and forgets all others. @throws RpcError 103 */
  async of(monitors: readonly ListedMonitor[]): Promise<ReadonlyMap<number, string>> {
    const before = this.#known;
    const known = new Map<number, { readonly version: number; readonly host: string }>();
    const changed: number[] = [];
    for (const { id, version } of monitors) {
      const one = before.get(id);
      if (one?.version === version) known.set(id, one);
      else changed.push(id);
    }
    for (const some of slices(changed, PAGE_ROWS))
      for (const monitor of await this.#store.byIds(some))
        known.set(monitor.id, { version: monitor.version, host: plainHost(hostOf(monitor)) });
    this.#known = known;
    return new Map([...known].map(([id, { host }]) => [id, host]));
  }
}

const plainHost = (host: string): string => host.toLowerCase().replace(/^\[|\]$/g, '');
