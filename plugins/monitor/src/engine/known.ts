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
  /** Aborted when this server ends, which ends what it reads as well. */
  readonly signal: AbortSignal;
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
  /** Tells whether the next reading reads all, not only what has another version. */
  #readsAll = true;
  #isEnded = false;
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

  /** Reads all again, and the rights of all owners; a failure is logged, and what was known stays. */
  refresh(): Promise<void> {
    this.#readsAll = true;
    return this.refreshChanged();
  }

  /** Ends after the readings that run: what they read closes behind them. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#next;
    await this.#running;
  }

  /** Reads what has another version than before. A call during a reading has one more follow. */
  async refreshChanged(): Promise<void> {
    if (this.#isEnded) return;
    if (!this.#running) {
      this.#running = this.#try().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.refreshChanged();
    });
    return this.#next;
  }

  async #try(): Promise<void> {
    const readsAll = this.#readsAll;
    this.#readsAll = false;
    try {
      await this.#read(readsAll);
      for (const listener of this.#listeners) await listener();
    } catch (error) {
      this.#readsAll = true;
      if (!this.#parts.signal.aborted && this.#failures.pass() !== undefined)
        this.#parts.log.error('monitors could not be read; tried again', { error });
    }
  }

  async #read(readsAll: boolean): Promise<void> {
    const listed = readsAll ? await this.#parts.store.list() : await this.#changed();
    const pauses = this.#parts.pauses();
    const key = keyOf(pauses);
    const isFresh = readsAll || key !== this.#pauses;
    const [paused, byId] = [new Set<number>(), new Map<number, ListedMonitor>()];
    await gently(listed, (monitor) => {
      const { id } = monitor;
      byId.set(id, monitor);
      if (!isFresh && this.#byId.get(id) === monitor)
        return this.#paused.has(id) ? void paused.add(id) : undefined;
      return this.#isPaused(monitor, pauses).then((isPaused) => {
        if (isPaused) paused.add(id);
      });
    });
    await this.#readGroups(listed.filter(({ kind }) => kind === 'group'));
    [this.#byId, this.#paused, this.#pauses] = [byId, paused, key];
  }

  /** Returns all, of which only those of another version are read. */
  async #changed(): Promise<ListedMonitor[]> {
    const { store } = this.#parts;
    const versions = await store.versions();
    const isOther = ({ id, version }: (typeof versions)[number]) =>
      this.#byId.get(id)?.version !== version;
    const read = new Map<number, ListedMonitor>();
    for (const some of slices(versions.filter(isOther), PAGE_ROWS))
      for (const one of await store.listed(some.map(({ id }) => id))) read.set(one.id, one);
    return versions.flatMap(({ id }) => read.get(id) ?? this.#byId.get(id) ?? []);
  }

  async #isPaused(monitor: ListedMonitor, pauses: readonly MonitorPause[]): Promise<boolean> {
    const { enable, name, owner } = monitor;
    if (!enable || pauses.some((pause) => pause.holdsFor(monitor))) return true;
    return owner !== null && !(await this.#parts.owners.may(owner, mayDo('write', name)));
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
