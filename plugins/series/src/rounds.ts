import type { LastReports, ReportBuckets } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Turn } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Rollup } from './rollup.ts';
import { DAY_MS, floorTo, HOUR_MS, MINUTE, QUARTER } from './steps.ts';
import type { BlockStore } from './store/blocks.ts';
import type { ReportKind, StateStore } from './store/state.ts';
import type { TrafficStore } from './store/traffic.ts';
import { countTraffic } from './traffic/count.ts';

/** Section `[series]`. */
export interface Config {
  readonly keep_minutes_days: number;
  readonly keep_quarter_hours_days: number;
  readonly keep_traffic_days: number;
}

/** Reports of the same time of arrival may be committed so much later. */
const GRACE_MS = 120_000;
/** Arrivals read by one statement. */
const SLICE_MS = 60_000;
/** Hours of agents that are remembered; more of them, as of an import, are rolled up in between. */
const MOST_HOURS = 50_000;
/** Hours of one agent in one statement. */
const RUN_HOURS = 6;
/** Between two statements others have the database for as long as the last one took, at most this. */
const MAX_PAUSE_MS = 500;
const KINDS: readonly ReportKind[] = ['summary', 'dynamic'];

export interface RoundParts {
  readonly kernel: Kernel<Config>;
  readonly registry: AgentRegistry;
  readonly buckets: ReportBuckets;
  readonly rollup: Rollup;
  readonly blocks: BlockStore;
  readonly traffic: TrafficStore;
  readonly state: StateStore;
  readonly last: LastReports;
  readonly turn: Turn;
}

/** Rolls up what has arrived, hour by hour, while it is this server's turn. */
export class Rounds {
  readonly #parts: RoundParts;
  /** Day of the last clean-up. */
  #cleaned = 0;
  /** Promise of what is being rolled up now. Never rejects. */
  step: Promise<void> = Promise.resolve();

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** One round; nothing while it is another server's turn. A failure is logged, and the next round goes on. */
  async run(): Promise<void> {
    const { kernel, turn } = this.#parts;
    try {
      await turn.hold(kernel, MAX_PAUSE_MS, async (proceed) => {
        while (await this.#traffic()) await proceed();
        for (const kind of KINDS) while (await this.#hour(kind, proceed)) await proceed();
        await this.#clean(proceed);
      });
    } catch (error) {
      // A stop in the middle is no failure: the next start goes on.
      if (!kernel.signal.aborted) kernel.log.error('reports could not be rolled up', { error });
    }
  }

  /** Counts the traffic of some minutes. A failure stops nothing else. @returns whether there may be more to do */
  async #traffic(): Promise<boolean> {
    const { buckets, kernel, state, traffic: store } = this.#parts;
    const history_ms = kernel.config.keep_minutes_days * DAY_MS;
    const counted = countTraffic({ kernel, buckets, state, store }, history_ms);
    this.step = counted.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await counted;
    } catch (error) {
      if (!kernel.signal.aborted) kernel.log.error('traffic could not be counted', { error });
      return false;
    }
  }

  /** Rolls up one hour of arrivals, or a part of a full one. @returns whether there may be more to do */
  async #hour(kind: ReportKind, proceed: () => Promise<void>): Promise<boolean> {
    const { buckets, kernel, state } = this.#parts;
    const now = kernel.clock.now();
    const done = floorTo(now - GRACE_MS, HOUR_MS);
    const rolledTo = await state.rolledTo(kind);
    const since = rolledTo ?? now - kernel.config.keep_minutes_days * DAY_MS;
    if (since >= done) return false;
    // Hours without arrivals are passed over.
    const first = Math.min((await buckets.firstArrival(kind, since)) ?? done, done);
    const from = Math.max(since, floorTo(first, HOUR_MS));
    const hours = new Map<number, Set<number>>();
    const end = Math.min(floorTo(from, HOUR_MS) + HOUR_MS, done);
    let reached = from;
    for (let found = 0; reached < end && found < MOST_HOURS; reached += SLICE_MS) {
      const arrived = await buckets.arrived(kind, reached, Math.min(reached + SLICE_MS, end));
      found += arrived.length;
      for (const { id, hour } of arrived) {
        const some = hours.get(id);
        if (some) some.add(hour);
        else hours.set(id, new Set([hour]));
      }
      if (arrived.length > 0) await proceed();
    }
    for (const [id, some] of hours) await this.#agent(kind, id, some, proceed);
    await state.setRolledTo(kind, Math.min(reached, end));
    return true;
  }

  async #agent(kind: ReportKind, id: number, hours: Set<number>, proceed: () => Promise<void>) {
    const { kernel, rollup } = this.#parts;
    const { clock, config, signal } = kernel;
    // What a broken clock or an import names beyond these bounds would not be kept.
    const oldest = (clock.now() - config.keep_quarter_hours_days * DAY_MS) / HOUR_MS;
    const newest = (clock.now() + DAY_MS) / HOUR_MS;
    const sorted = [...hours]
      .filter((hour) => hour >= oldest && hour <= newest)
      .sort((a, b) => a - b);
    for (let at = 0; at < sorted.length; ) {
      const first = sorted[at] as number;
      let count = 1;
      while (count < RUN_HOURS && sorted[at + count] === first + count) count++;
      const rolled = rollup.hours(kind, id, first, count, signal);
      this.step = rolled.catch(() => undefined);
      await rolled;
      await proceed();
      at += count;
    }
  }

  async #clean(proceed: () => Promise<void>): Promise<void> {
    const { blocks, kernel, last, registry, traffic } = this.#parts;
    const { clock, config, signal } = kernel;
    const day = floorTo(clock.now(), DAY_MS);
    if (day === this.#cleaned) return;
    const minutesFrom = clock.now() - config.keep_minutes_days * DAY_MS;
    const quartersFrom = clock.now() - config.keep_quarter_hours_days * DAY_MS;
    for (const { id } of registry.list()) {
      if (await blocks.has(id)) {
        await blocks.removeBefore(id, MINUTE, minutesFrom);
        await blocks.removeBefore(id, QUARTER, quartersFrom);
      }
      await proceed();
    }
    // An agent that was deleted and has no reports left is gone as a whole.
    const deleted = registry.list().filter(({ soft_delete }) => soft_delete);
    const heard = await last.heard(deleted);
    for (const [at, { id }] of deleted.entries()) {
      if (heard[at] !== undefined) continue;
      for (const kind of KINDS) await blocks.erase(id, kind, () => signal.throwIfAborted());
      await traffic.erase({ id });
      await proceed();
    }
    await traffic.erase({ before: day / DAY_MS - config.keep_traffic_days });
    this.#cleaned = day;
  }
}
