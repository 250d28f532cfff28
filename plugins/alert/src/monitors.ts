import type { MonitorNow, Monitors } from '@svc/plugin-monitor/api';

/** Monitors between this one and the server that are looked at, at most. */
const MOST_DEPTH = 5;

/** Time for which an alert waits for the verdict about what lies before it, at most. */
const MOST_WAIT_MS = 120_000;

/** Monitors as they were read last, in memory. */
export class KnownMonitors {
  readonly #service: () => Monitors | undefined;
  #byName: ReadonlyMap<string, MonitorNow> | undefined;
  #byId: ReadonlyMap<number, MonitorNow> = new Map();

  /** @param service the service of the plugin `monitor`, once it is there; undefined: the plugin is off */
  constructor(service: () => Monitors | undefined) {
    this.#service = service;
  }

  /** Tells whether the plugin `monitor` runs. */
  get isOn(): boolean {
    return this.#service() !== undefined;
  }

  /** Tells whether nothing was read yet although there may be monitors. */
  get isNew(): boolean {
    return this.isOn && this.#byName === undefined;
  }

  /** Reads all enabled monitors. @throws RpcError 103 */
  async read(): Promise<readonly MonitorNow[]> {
    const all = (await this.#service()?.now()) ?? [];
    this.#byName = new Map(all.map((monitor) => [monitor.name, monitor]));
    this.#byId = new Map(all.map((monitor) => [monitor.id, monitor]));
    return all;
  }

  /** Servers that cannot reach the outside. @throws RpcError 103 */
  async isolated(): Promise<readonly { readonly server: string; readonly since: number }[]> {
    return (await this.#service()?.isolated()) ?? [];
  }

  /** Number of enabled monitors. */
  get count(): number {
    return this.#byId.size;
  }

  named(name: string): MonitorNow | undefined {
    return this.#byName?.get(name);
  }

  /** Returns the monitor farthest up that is down, through which this one is reached; undefined: all above it are well. */
  downAbove({ id, parent }: MonitorNow): MonitorNow | undefined {
    let root: MonitorNow | undefined;
    let at = parent;
    for (let depth = 0; at !== null && at !== id && depth < MOST_DEPTH; depth++) {
      const above = this.#byId.get(at);
      if (above?.state === 'down') root = above;
      at = above?.parent ?? null;
    }
    return root;
  }

  /**
   * Returns the next monitor above this one of which it is not known yet whether it failed, too: one that fails in its
   * retries, or has no result since then. Nobody waits for it longer than a failure takes to be a verdict.
   */
  unsettledAbove({ id, parent, since }: MonitorNow, now: number): MonitorNow | undefined {
    let at = parent;
    for (let depth = 0; at !== null && at !== id && depth < MOST_DEPTH; depth++) {
      const above = this.#byId.get(at);
      const isOver = !above || now >= since + Math.min(MOST_WAIT_MS, above.settle_ms);
      if (!isOver && above.state !== 'paused' && (above.suspect || (above.checked_at ?? 0) < since))
        return above;
      at = above?.parent ?? null;
    }
    return undefined;
  }
}
