import { setImmediate as breathe } from 'node:timers/promises';
import { type Facts, matches } from '../silences/matcher.ts';
import { mayHide } from '../silences/rights.ts';
import type { IsSuspended } from '../silences/silences.ts';
import type { MaintenanceWindow } from '../types.ts';
import type { WindowStore } from './store.ts';
import { type Range, Schedule } from './times.ts';

const DAY_MS = 86_400_000;
/** Windows whose next times are found in one turn of the event loop. */
const SLICE = 10;

interface Held {
  readonly window: MaintenanceWindow;
  readonly schedule: Schedule;
  /** Slugs of the status pages that its owner may show it on. */
  slugs: ReadonlySet<string>;
  /** Tells whether it does nothing, because of its owner. */
  isSuspended: boolean;
  /** The range that holds or comes next, until its end. */
  range: Range | undefined;
  /** Time from which on `range` has to be looked up again. */
  until: number;
  /** Time of the last look-up: a clock that was set back is seen. */
  lookedAt: number;
}

export interface ActiveWindow {
  readonly window: MaintenanceWindow;
  readonly range: Range;
}

/** Tells whether an owner (`Owners.of`) may show something on the status page with this slug. */
export type MayShow = (owner: string | null, slug: string) => Promise<boolean>;

export interface WindowRights {
  readonly mayShow: MayShow;
  readonly isSuspended: IsSuspended;
}

/** The windows in memory. */
export class Windows {
  readonly #store: WindowStore;
  readonly #rights: WindowRights;
  #held: readonly Held[] = [];

  constructor(store: WindowStore, rights: WindowRights) {
    this.#store = store;
    this.#rights = rights;
  }

  /** Reads windows that changed; the others keep their times. Rights of owners are asked for each time. @throws RpcError 103 */
  async reload(now: number): Promise<void> {
    const before = new Map(this.#held.map((held) => [held.window.id, held]));
    const versions = await this.#store.versions();
    const isOld = ({ id, version }: { id: number; version: number }) =>
      before.get(id)?.window.version === version;
    const changed = versions.flatMap((row) => (isOld(row) ? [] : row.id));
    for (const window of await this.#store.byIds(changed)) before.set(window.id, heldOf(window));
    const held = versions.flatMap(({ id }) => before.get(id) ?? []);
    for (const [at, one] of held.entries()) {
      if (at % SLICE === SLICE - 1) await breathe();
      rangeAt(one, now);
      const { owner, scope } = one.window;
      one.isSuspended = await this.#rights.isSuspended(owner, [mayHide('write', scope)]);
      one.slugs = one.isSuspended ? new Set() : await this.#slugs(one.window);
    }
    this.#held = held;
  }

  find(id: number): MaintenanceWindow | undefined {
    return this.#held.find(({ window }) => window.id === id)?.window;
  }

  get haveOwners(): boolean {
    return this.#held.some(({ window }) => window.owner !== null);
  }

  isSuspended(id: number): boolean {
    return this.#held.some((held) => held.window.id === id && held.isSuspended);
  }

  /** The window that quiets an alert now, of several the one that ends last. */
  active(facts: Facts, now: number): ActiveWindow | undefined {
    let found: ActiveWindow | undefined;
    for (const held of this.#held) {
      if (held.isSuspended || !matches(held.window.scope, facts)) continue;
      const range = rangeAt(held, now);
      if (!range || range[0] > now) continue;
      if (!found || range[1] > found.range[1]) found = { window: held.window, range };
    }
    return found;
  }

  /** Windows that stop the checks of monitors now. One whose scope names rules is about their alerts alone. */
  pausing(now: number): ActiveWindow[] {
    return this.#held.flatMap((held) => {
      const { window, isSuspended } = held;
      if (isSuspended || window.effect !== 'pause' || window.scope.rules) return [];
      const range = rangeAt(held, now);
      return range && range[0] <= now ? [{ window, range }] : [];
    });
  }

  /** Windows that a status page shows: the range that holds or comes next, before `until`. */
  public(slug: string, now: number, until: number): ActiveWindow[] {
    return this.#held.flatMap((held) => {
      if (!held.slugs.has(slug)) return [];
      const range = rangeAt(held, now);
      return range && range[0] < until ? [{ window: held.window, range }] : [];
    });
  }

  async #slugs(window: MaintenanceWindow): Promise<ReadonlySet<string>> {
    const slugs = new Set<string>();
    for (const slug of window.public)
      if (await this.#rights.mayShow(window.owner, slug)) slugs.add(slug);
    return slugs;
  }
}

const heldOf = (window: MaintenanceWindow): Held => ({
  ...{ window, schedule: new Schedule(window), slugs: new Set<string>(), isSuspended: false },
  ...{ range: undefined, until: 0, lookedAt: Number.POSITIVE_INFINITY },
});

function rangeAt(held: Held, now: number): Range | undefined {
  if (now >= held.until || now < held.lookedAt) {
    [held.range] = held.schedule.ranges(now, 1);
    held.lookedAt = now;
    held.until = held.range?.[1] ?? now + DAY_MS;
  }
  return held.range;
}
