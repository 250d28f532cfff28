import type { MonitorNow, Monitors } from '@svc/plugin-monitor/api';
import { placeOfHost } from './addresses.ts';

/** Monitors between this one and the server that are looked at, at most. */
const MOST_DEPTH = 5;
/** Time for which a monitor that is down waits for one above it at most, ms. */
const MOST_WAIT_MS = 120_000;

/** Monitors as they were read last, in memory. */
export class KnownMonitors {
  readonly #service: () => Monitors | undefined;
  #byName: ReadonlyMap<string, MonitorNow> | undefined;
  #areAddresses = false;
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
    this.#areAddresses = all.some(({ host }) => placeOfHost(host) !== undefined);
    this.#byName = new Map(all.map((monitor) => [monitor.name, monitor]));
    this.#byId = new Map(all.map((monitor) => [monitor.id, monitor]));
    return all;
  }

  /** Servers that cannot reach the outside. @throws RpcError 103 */
  async isolated(): Promise<readonly { readonly server: string; readonly since: number }[]> {
    return (await this.#service()?.isolated()) ?? [];
  }

  /** Tells whether a monitor checks a host by its address. */
  get areAddresses(): boolean {
    return this.#areAddresses;
  }

  /** Number of enabled monitors. */
  get count(): number {
    return this.#byId.size;
  }

  named(name: string): MonitorNow | undefined {
    return this.#byName?.get(name);
  }

  /** Returns the monitor farthest up that is down, through which this one is reached; undefined: all above it are well. */
  downAbove(monitor: MonitorNow): MonitorNow | undefined {
    return this.#above(monitor).findLast(({ state }) => state === 'down');
  }

  /**
   * Returns the monitor above one that is down that has still to be checked since: it may be the cause. It is waited for
   * as long as its next failures take, and two minutes at most. undefined: all were checked, or it took too long.
   */
  awaitedAbove(monitor: MonitorNow, now: number): MonitorNow | undefined {
    const { state, since } = monitor;
    if (state !== 'down') return undefined;
    return this.#above(monitor).find(({ state, good_at, interval_s, retries }) => {
      const isWell = state === 'up' || state === 'degraded';
      const wait_ms = Math.min(MOST_WAIT_MS, interval_s * (retries + 1) * 1_000);
      return isWell && good_at !== null && good_at <= since && now < since + wait_ms;
    });
  }

  /** Monitors through which one is reached, the nearest first. */
  #above({ id, parent }: MonitorNow): MonitorNow[] {
    const all: MonitorNow[] = [];
    let above = parent === null ? undefined : this.#byId.get(parent);
    while (above && above.id !== id && all.length < MOST_DEPTH) {
      all.push(above);
      above = above.parent === null ? undefined : this.#byId.get(above.parent);
    }
    return all;
  }
}
