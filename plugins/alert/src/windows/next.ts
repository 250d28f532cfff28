import { BoundedCache } from '@svc/plugin-sdk/util';
import type { MaintenanceWindow } from '../types.ts';
import { type Range, Schedule } from './times.ts';

/** Windows whose times are kept: more than there can be. */
const MOST = 1_000;
const DAY_MS = 86_400_000;

interface Known {
  readonly version: number;
  readonly ranges: readonly Range[];
  readonly from: number;
  readonly until: number;
}

/** Next times of stored windows, found once for each version until the first of them is over. */
export class NextTimes {
  readonly #known = new BoundedCache<number, Known>({ most: MOST });

  of(window: MaintenanceWindow, now: number): readonly Range[] {
    const { id, version } = window;
    const known = this.#known.get(id);
    if (known?.version === version && known.from <= now && now < known.until) return known.ranges;
    const ranges = new Schedule(window).ranges(now);
    const until = ranges[0]?.[1] ?? now + DAY_MS;
    this.#known.set(id, { version, ranges, from: now, until });
    return ranges;
  }
}
