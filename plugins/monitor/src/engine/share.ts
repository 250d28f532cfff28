import { type Job, type PlaceChecks, type Runner, serverOf } from '@svc/checks';
import type { Secrets } from '@svc/plugin-notify/api';
import type { Bus, Logger } from '@svc/plugin-sdk';
import { type MonitorStore, PAGE_ROWS } from '../store/monitors.ts';
import type { ListedMonitor } from '../store/rows.ts';
import { slices } from '../store/sql.ts';
import type { StateStore } from '../store/states.ts';
import type { Monitor } from '../types.ts';
import { checkedOf, isChecked } from './checked.ts';
import { gently } from './gently.ts';
import type { KnownMonitors } from './known.ts';
import type { Recorder } from './recorder.ts';

export interface ShareParts {
  readonly log: Logger;
  /** This server, and the others that have a share. */
  readonly peers: Pick<Bus, 'id' | 'servers'>;
  readonly known: KnownMonitors;
  readonly monitors: MonitorStore;
  readonly states: StateStore;
  readonly checks: PlaceChecks<Monitor>;
  readonly recorder: Recorder;
  readonly runner: Runner;
  readonly secrets: Secrets | undefined;
}

/** Monitors that this server checks: its share of those that have the place `server`. */
export class Share {
  readonly #parts: ShareParts;
  /** Jobs by monitor; undefined: it cannot be checked. */
  readonly #jobs = new Map<number, { readonly version: number; readonly job: Job | undefined }>();
  /** Monitors whose states were read; most that are new have none. */
  readonly #loaded = new Set<number>();
  /** Servers by monitor, as long as these are the servers. */
  readonly #placed = new Map<number, string | undefined>();
  #servers = '';

  constructor(parts: ShareParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Takes what is known of monitors and servers now. @throws RpcError 103 */
  async update(): Promise<void> {
    const { checks, known, recorder, runner } = this.#parts;
    const own: ListedMonitor[] = [];
    const servers = this.#living();
    await gently(known.all(), (monitor) => {
      const { id, kind, places } = monitor;
      if (isChecked(kind) && places.server && !known.isPaused(id) && this.#isOwn(id, servers))
        own.push(monitor);
    });
    const ids = new Set(own.map(({ id }) => id));
    for (const kept of [this.#jobs, this.#loaded])
      for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id);
    for (const id of this.#placed.keys()) if (!known.byId(id)) this.#placed.delete(id);
    checks.keep(ids);
    recorder.keep(ids);
    await this.#loadStates(own);
    await this.#compile(own);
    runner.set([...this.#jobs.values()].flatMap(({ job }) => job ?? []));
  }

  #living(): readonly string[] {
    const { peers } = this.#parts;
    const servers = [peers.id, ...peers.servers().map(({ id }) => id)].sort();
    const key = servers.join(' ');
    if (key !== this.#servers) this.#placed.clear();
    this.#servers = key;
    return servers;
  }

  #isOwn(id: number, servers: readonly string[]): boolean {
    if (servers.length === 1) return true;
    if (!this.#placed.has(id)) this.#placed.set(id, serverOf(id, servers));
    return this.#placed.get(id) === this.#parts.peers.id;
  }

  /** Reads what the server said before of monitors that come to it. */
  async #loadStates(own: readonly ListedMonitor[]): Promise<void> {
    const { checks, states } = this.#parts;
    const fresh = own.filter(({ id }) => !this.#loaded.has(id)).map(({ id }) => id);
    for (const some of slices(fresh)) {
      checks.load(await states.ofMonitors(some));
      for (const id of some) this.#loaded.add(id);
    }
  }

  async #compile(own: readonly ListedMonitor[]): Promise<void> {
    const { checks, log, monitors, secrets } = this.#parts;
    const changed = own.filter(({ id, version }) => this.#jobs.get(id)?.version !== version);
    for (const some of slices(changed, PAGE_ROWS)) {
      const whole = await monitors.byIds(some.map(({ id }) => id));
      await gently(whole, (monitor) => {
        const { id, name, version } = monitor;
        const checked = checkedOf(monitor, secrets);
        const job = 'problem' in checked ? undefined : checks.jobOf(checked);
        this.#jobs.set(id, { version, job });
        if ('problem' in checked)
          log.warn(`the monitor '${name}' is not checked: ${checked.problem}`);
      });
    }
  }
}
