import type { Clock, Logger } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import type { Owners } from '@svc/plugin-token/api';
import type { MonitorPause } from '../api.ts';
import { mayDo } from '../permissions.ts';
import { type MonitorStore, PAGE_ROWS } from '../store/monitors.ts';
import type { ListedMonitor } from '../store/rows.ts';
import { slices } from '../store/sql.ts';
import type { GroupSpec } from '../types.ts';
import { gently } from './gently.ts';

export const NO_RIGHT =
  'the token that owns it may not write it any more, so it is paused: save it with another one';

export interface KnownParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly owners: Owners;
  readonly store: MonitorStore;
  /** Pauses that hold now. */
  readonly pauses: () => readonly MonitorPause[];
}

type Group = { readonly version: number; readonly spec: GroupSpec };

/** Monitors of the database as this server read them last, and which of them are paused. */
export class KnownMonitors {
  readonly #parts: KnownParts;
  readonly #failures: Throttle;
  readonly #groups = new Map<number, Group>();
  readonly #listeners: (() => Promise<void>)[] = [];
  #byId: ReadonlyMap<number, ListedMonitor> = new Map();
  #paused: ReadonlySet<number> = new Set();
  /** Pauses of the last reading. */
  #pauses = '';
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(parts: KnownParts) {
    this.#parts = parts;
    this.#failures = new Throttle(parts.clock);
  }

  byId(id: number): ListedMonitor | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<ListedMonitor> {
    return this.#byId.values();
  }

  get ids(): readonly number[] {
    return [...this.#byId.keys()];
  }

  group(id: number): GroupSpec | undefined {
    return this.#groups.get(id)?.spec;
  }

  /** Groups with their settings. */
  groups(): Iterable<readonly [id: number, group: Group]> {
    return this.#groups;
  }

  /** Tells whether a monitor is switched off, its owner may not have it run, or a maintenance window pauses it. */
  isPaused(id: number): boolean {
    return this.#paused.has(id);
  }

  /** Reads all again where a pause began or ended since: each second. */
  async look(): Promise<void> {
    const now = keyOf(this.#parts.pauses());
    if (now !== this.#pauses) await this.refresh();
  }

  /** Calls this after each reading. */
  onRead(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Reads all again; a call during a reading has one more follow. A failure is logged, and what was known stays. */
  refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#try().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  async #try(): Promise<void> {
    try {
      await this.#read();
      for (const listener of this.#listeners) await listener();
    } catch (error) {
      if (this.#failures.pass() !== undefined)
        this.#parts.log.error('monitors could not be read; tried again', { error });
    }
  }

  async #read(): Promise<void> {
    const { owners, store } = this.#parts;
    const listed = await store.list();
    const pauses = this.#parts.pauses();
    const paused = new Set<number>();
    await gently(listed, async (monitor) => {
      const { id, enable, name, owner } = monitor;
      const isOff = !enable || pauses.some((pause) => pause.holdsFor(monitor));
      if (isOff || (owner !== null && !(await owners.may(owner, mayDo('write', name)))))
        paused.add(id);
    });
    await this.#readGroups(listed.filter(({ kind }) => kind === 'group'));
    this.#byId = new Map(listed.map((monitor) => [monitor.id, monitor]));
    this.#paused = paused;
    this.#pauses = keyOf(pauses);
  }

  async #readGroups(listed: readonly ListedMonitor[]): Promise<void> {
    const ids = new Set(listed.map(({ id }) => id));
    for (const id of this.#groups.keys()) if (!ids.has(id)) this.#groups.delete(id);
    const changed = listed.filter(({ id, version }) => this.#groups.get(id)?.version !== version);
    for (const some of slices(changed, PAGE_ROWS))
      for (const { id, version, spec } of await this.#parts.store.byIds(some.map((one) => one.id)))
        this.#groups.set(id, { version, spec: spec as unknown as GroupSpec });
  }
}

const keyOf = (pauses: readonly MonitorPause[]): string => pauses.map(({ key }) => key).join(' ');
