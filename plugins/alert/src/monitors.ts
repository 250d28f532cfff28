import type { MonitorHistory, MonitorNow, Monitors } from '@svc/plugin-monitor/api';
import type { AlertDetail } from './types.ts';

/** Monitors between this one and the server that are looked at, at most. */
const MOST_DEPTH = 5;

/** Time for which an alert waits for the verdict about what lies before it, at most. */
const MOST_WAIT_MS = 120_000;

/** Services of the plugin `monitor`, once they are there; undefined: the plugin is off. */
export interface MonitorServices {
  readonly now: () => Monitors | undefined;
  readonly names: () => Pick<MonitorHistory, 'known'> | undefined;
}

/** Names of the monitors that alerts are about. */
export interface MonitorNames {
  /** The name that a monitor has, or had when this was written; empty: nobody knows it. */
  nameOf(of: {
    readonly subject_id: string;
    readonly detail?: Pick<AlertDetail, 'subject'>;
  }): string;
}

/** Monitors as they were read last, in memory. */
export class KnownMonitors implements MonitorNames {
  readonly #services: MonitorServices;
  #isRead = false;
  #byId: ReadonlyMap<number, MonitorNow> = new Map();
  #byName: ReadonlyMap<string, MonitorNow> = new Map();

  constructor(services: MonitorServices) {
    this.#services = services;
  }

  /** Tells whether the plugin `monitor` runs. */
  get isOn(): boolean {
    return this.#services.now() !== undefined;
  }

  /** Tells whether nothing was read yet although there may be monitors. */
  get isNew(): boolean {
    return this.isOn && !this.#isRead;
  }

  /** Reads all enabled monitors. @throws RpcError 103 */
  async read(): Promise<readonly MonitorNow[]> {
    const all = (await this.#services.now()?.now()) ?? [];
    this.#isRead = true;
    this.#byId = new Map(all.map((monitor) => [monitor.id, monitor]));
    this.#byName = new Map(all.map((monitor) => [monitor.name, monitor]));
    return all;
  }

  /** Servers that cannot reach the outside. @throws RpcError 103 */
  async isolated(): Promise<readonly { readonly server: string; readonly since: number }[]> {
    return (await this.#services.now()?.isolated()) ?? [];
  }

  /** Number of enabled monitors. */
  get count(): number {
    return this.#byId.size;
  }

  /** The monitor that an alert is about, by its `subject_id`; undefined: it is switched off, or has gone. */
  of(subject_id: string): MonitorNow | undefined {
    return this.#byId.get(Number(subject_id));
  }

  named(name: string): MonitorNow | undefined {
    return this.#byName.get(name);
  }

  nameOf({ subject_id, detail }: Parameters<MonitorNames['nameOf']>[0]): string {
    const known = this.#services.names()?.known(Number(subject_id)) ?? this.of(subject_id);
    return known?.name ?? detail?.subject ?? '';
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

  /** Members of a group that are down, or what lies before them and is. */
  downWithin({ id, members }: MonitorNow): MonitorNow[] {
    const down = members.flatMap((member) => this.#byId.get(member) ?? []).filter(isDown);
    const roots = down.map((member) => this.downAbove(member) ?? member);
    return [...new Set(roots)].filter((root) => root.id !== id);
  }

  /** Tells whether a monitor is down, and its certificate is the reason: it checks nothing else, or the certificate has ended. */
  isDownByCertificate(monitor: MonitorNow, now: number): boolean {
    const { kind, not_after } = monitor;
    return isDown(monitor) && (kind === 'tls' || (not_after !== null && not_after <= now));
  }

  /** Ids of monitors whose failure may explain further alerts. */
  explaining(now: number): number[] {
    const ids = new Set<number>();
    for (const monitor of this.#byId.values()) {
      if (isDown(monitor)) for (const { id } of this.downWithin(monitor)) ids.add(id);
      if (this.isDownByCertificate(monitor, now)) ids.add(monitor.id);
    }
    return [...ids];
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

const isDown = ({ state }: MonitorNow): boolean => state === 'down';
