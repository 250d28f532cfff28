import {
  type Auth,
  type Clock,
  type Logger,
  type Methods,
  type Principal,
  type Push,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import type { MonitorNames } from '../monitors.ts';
import { AlertAnswer } from '../schemas.ts';
import { type AlertStore, PAGE_ROWS } from '../store/alerts.ts';
import { slices } from '../store/slices.ts';
import { type Alert, OPEN, type Rules } from '../types.ts';
import type { Answers } from './answers.ts';
import { Counts, MOST_ALERTS, newestFirst } from './methods.ts';
import { readable, visibleTo } from './visible.ts';

/** Changes are sent twice a second at most. */
const TURN_MS = 500;
/** Alerts of one item. */
const PORTION = 500;

const Item = Type.Object({
  alerts: Type.Array(AlertAnswer, { description: 'Open alerts that are new or changed.' }),
  closed: Type.Array(Type.Integer(), { description: 'Ids of alerts that are not open any more.' }),
  counts: Counts,
});

interface Viewer {
  readonly caller: Principal;
  readonly push: Push<Static<typeof Item>>;
  /** Ids of what it has to hear of, and of what it was shown. */
  unsent: Set<number>;
  readonly shown: Set<number>;
  isNew: boolean;
}

export interface FeedParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: AlertStore;
  readonly rules: Pick<Rules, 'byId'>;
  readonly monitors: MonitorNames;
  readonly answers: Answers;
  /** Tells whether the caller may read alerts of any machine. */
  readonly mayReadAny: (caller: Principal) => Promise<boolean>;
}

/** Subscriptions to the open alerts. Without any it does nothing. */
export class AlertFeed {
  readonly #parts: FeedParts;
  readonly #viewers = new Set<Viewer>();
  readonly #open = new Map<number, Alert>();
  /** Ids of alerts that have to be read again; undefined: all. */
  #changed: Set<number> | undefined;
  #isDue = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Notes that alerts changed, on whichever server; undefined: any may have. */
  changed(ids: readonly number[] | undefined): void {
    if (this.#viewers.size === 0) return;
    if (!ids) this.#changed = undefined;
    else for (const id of ids) this.#changed?.add(id);
    this.#schedule(TURN_MS);
  }

  /** `alert_subscribe`. */
  addMethod(methods: Methods): void {
    methods.addSubscription('alert_subscribe', {
      summary: 'The open alerts, then their changes.',
      description: `The first items hold every open alert that the caller may read, at most ${MOST_ALERTS}; the very first may be empty. Changes follow at most twice a second.`,
      addition: true,
      params: {},
      unsubscribe: 'alert_unsubscribe',
      item: Item,
      access: 'authenticated',
      livesOn:
        (_params, { caller }) =>
        () =>
          this.#parts.mayReadAny(caller),
      open: (_params, { caller }, push) => this.#watch(caller, push),
    });
  }

  #watch(caller: Principal, push: Viewer['push']): () => void {
    if (this.#viewers.size === 0) this.#changed = undefined;
    const unsent = new Set(this.#open.keys());
    const viewer: Viewer = { caller, push, unsent, shown: new Set(), isNew: true };
    this.#viewers.add(viewer);
    this.#schedule(0);
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.#open.clear();
    };
  }

  #schedule(delay_ms: number): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#parts.clock.timeout(() => void this.#run(), delay_ms);
  }

  async #run(): Promise<void> {
    try {
      await this.#turn();
    } catch (error) {
      this.#parts.log.error('open alerts could not be sent', { error });
      this.#changed = undefined;
    }
    this.#isDue = false;
    const waits = [...this.#viewers].some(({ unsent, isNew }) => isNew || unsent.size > 0);
    if (waits || (this.#viewers.size > 0 && this.#changed?.size !== 0)) this.#schedule(TURN_MS);
  }

  async #turn(): Promise<void> {
    const ids = this.#changed;
    this.#changed = new Set();
    const changed = ids ? await this.#read([...ids]) : await this.#readAll();
    for (const viewer of this.#viewers) {
      for (const id of changed) viewer.unsent.add(id);
      const waits = viewer.isNew || viewer.unsent.size > 0;
      if (waits && !viewer.push.isCongested()) await this.#send(viewer);
    }
  }

  async #read(ids: readonly number[]): Promise<readonly number[]> {
    for (const some of slices(ids, PAGE_ROWS)) {
      const found = await this.#parts.store.byIds(some);
      for (const id of some) this.#open.delete(id);
      for (const alert of found) if (alert.state >= OPEN) this.#open.set(alert.id, alert);
    }
    return ids;
  }

  async #readAll(): Promise<readonly number[]> {
    const before = [...this.#open.keys()];
    const open: Alert[] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const some = await this.#parts.store.activeAfter(after);
      for (const alert of some) if (alert.state >= OPEN) open.push(alert);
      after = some.at(-1)?.id ?? 0;
      isLast = some.length < PAGE_ROWS;
    }
    this.#open.clear();
    for (const alert of open.sort(newestFirst)) this.#open.set(alert.id, alert);
    return [...before, ...this.#open.keys()];
  }

  async #send(viewer: Viewer): Promise<void> {
    const { answers } = this.#parts;
    const isVisible = visibleTo(this.#parts, viewer.caller);
    const seen = await readable([...this.#open.values()], isVisible, MOST_ALERTS);
    const visible = new Set(seen.map(({ id }) => id));
    const alerts = seen.filter(({ id }) => viewer.unsent.has(id));
    const closed = [...viewer.unsent].filter((id) => viewer.shown.delete(id) && !visible.has(id));
    const portion = alerts.slice(0, PORTION);
    const isEmpty = portion.length === 0 && closed.length === 0 && !viewer.isNew;
    viewer.unsent = new Set(alerts.slice(PORTION).map(({ id }) => id));
    for (const { id } of alerts) viewer.shown.add(id);
    viewer.isNew = false;
    if (isEmpty) return;
    const counts = await answers.counts(seen);
    viewer.push({ alerts: await answers.alerts(portion, viewer.caller), closed, counts });
  }
}
