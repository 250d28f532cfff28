import { type Facts, matches } from '../silences/matcher.ts';
import type { MaintenanceWindow } from '../types.ts';
import type { WindowStore } from './store.ts';
import { type Range, Schedule } from './times.ts';

interface Held {
  readonly window: MaintenanceWindow;
  readonly schedule: Schedule;
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

/** The windows in memory. */
export class Windows {
  readonly #store: WindowStore;
  #held: readonly Held[] = [];

  constructor(store: WindowStore) {
    this.#store = store;
  }

  /** Reads the table again; windows that did not change keep their times. @throws RpcError 103 */
  async reload(): Promise<void> {
    const before = new Map(this.#held.map((held) => [held.window.id, held]));
    this.#held = (await this.#store.all())
      .filter(({ enable }) => enable)
      .map((window) => {
        const old = before.get(window.id);
        if (old && old.window.version === window.version) return old;
        const schedule = new Schedule(window);
        return { window, schedule, range: undefined, until: 0, lookedAt: Number.POSITIVE_INFINITY };
      });
  }

  /** The window that quiets an alert now, of several the one that ends last. */
  active(facts: Facts, now: number): ActiveWindow | undefined {
    let found: ActiveWindow | undefined;
    for (const held of this.#held) {
      if (!matches(held.window.scope, facts)) continue;
      const range = rangeAt(held, now);
      if (!range || range[0] > now) continue;
      if (!found || range[1] > found.range[1]) found = { window: held.window, range };
    }
    return found;
  }

  /** Windows that a status page shows: the range that holds or comes next, before `until`. */
  public(slug: string, now: number, until: number): ActiveWindow[] {
    return this.#held.flatMap((held) => {
      if (!held.window.public.includes(slug)) return [];
      const range = rangeAt(held, now);
      return range && range[0] < until ? [{ window: held.window, range }] : [];
    });
  }
}

function rangeAt(held: Held, now: number): Range | undefined {
  if (now >= held.until || now < held.lookedAt) {
    [held.range] = held.schedule.ranges(now, 1);
    held.lookedAt = now;
    held.until = held.range?.[1] ?? Number.POSITIVE_INFINITY;
  }
  return held.range;
}
