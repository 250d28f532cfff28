import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Page } from '../page.ts';
import type { Range } from '../ranges.ts';
import { Snapshot } from '../view/snapshot.ts';
import { curveOf, type GatherParts, gather, visible } from './gather.ts';

/** Rights are looked at this often while a page is read. */
const RIGHTS_MS = 1_000;
/** Pause after a failure before anything is read again. */
const PAUSE_MS = 2_000;
/** Time for which a reading is shown while the database is away. */
const STALE_MS = 600_000;

export interface PagesParts extends GatherParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Path of the pages: `/svc/status`. */
  readonly base: string;
  /** Time between two readings of one page, ms. */
  readonly every_ms: () => number;
}

interface Live {
  readonly page: Page;
  /** The entries that were shown when the rights were looked at last. */
  shown: string;
  looked: number;
  snapshot: Snapshot | undefined;
  reading: Promise<Snapshot | undefined> | undefined;
  /** Earliest time of the next reading. */
  notBefore: number;
}

/** Pages as readers see them: each is read once for all readers. */
export class LivePages {
  readonly #parts: PagesParts;
  readonly #live = new Map<string, Live>();

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  /** Snapshot of a page as the records hold it. @returns undefined: its owner is suspended; null: it cannot be read now */
  async of(page: Page): Promise<Snapshot | null | undefined> {
    const { clock, owners } = this.#parts;
    const live = this.#liveOf(page);
    const now = clock.now();
    try {
      if (await owners.isSuspended(page.owner)) return undefined;
      if (Math.abs(now - live.looked) >= RIGHTS_MS) await this.#checkVisible(live, now);
    } catch (error) {
      this.#failed(live, error);
      return this.#older(live);
    }
    const { snapshot } = live;
    if (snapshot && now < snapshot.until && now >= snapshot.facts.at) return snapshot;
    return (await this.#reading(live, now)) ?? this.#older(live);
  }

  /** Something about the page has changed. */
  forget(slug: string): void {
    this.#live.delete(slug);
  }

  forgetAll(): void {
    this.#live.clear();
  }

  #liveOf(page: Page): Live {
    const live = this.#live.get(page.slug);
    if (live?.page === page) return live;
    const fresh: Live = {
      page,
      shown: '',
      looked: Number.NEGATIVE_INFINITY,
      snapshot: undefined,
      reading: undefined,
      notBefore: 0,
    };
    this.#live.set(page.slug, fresh);
    return fresh;
  }

  /** Checks which entries are visible: one that came or went takes effect at once. */
  async #checkVisible(live: Live, now: number): Promise<void> {
    live.looked = now;
    const shown = (await visible(live.page, this.#parts)).map(({ entry }) => entry.key).join(' ');
    if (shown === live.shown) return;
    live.shown = shown;
    live.snapshot = undefined;
    live.reading = undefined;
  }

  /** The one that runs, or a new one. */
  #reading(live: Live, now: number): Promise<Snapshot | undefined> {
    if (live.reading) return live.reading;
    const reading = this.#read(live, now).finally(() => {
      if (live.reading === reading) live.reading = undefined;
    });
    live.reading = reading;
    return reading;
  }

  async #read(live: Live, now: number): Promise<Snapshot | undefined> {
    const { base, every_ms } = this.#parts;
    if (now < live.notBefore) return undefined;
    const { shown } = live;
    try {
      const seen = await visible(live.page, this.#parts);
      const facts = await gather(live.page, seen, this.#parts, now);
      const past = (key: string, range: Range) => curveOf(live.page, key, range, this.#parts, now);
      const snapshot = new Snapshot(facts, { base, every_ms: every_ms(), past });
      if (live.shown === shown) live.snapshot = snapshot;
      return snapshot;
    } catch (error) {
      this.#failed(live, error);
      return undefined;
    }
  }

  #failed(live: Live, error: unknown): void {
    live.notBefore = this.#parts.clock.now() + PAUSE_MS;
    this.#parts.log.warn('a status page could not be read', { page: live.page.slug, error });
  }

  /** The last state that was read, while it is not too old. */
  #older({ snapshot }: Live): Snapshot | null {
    const isUsable = snapshot && this.#parts.clock.now() - snapshot.facts.at < STALE_MS;
    return isUsable ? snapshot : null;
  }
}
