import type { Agent } from '@svc/plugin-agent-uuid/api';
import { keyOf as placeOf } from '../store/next-row.ts';
import { MOST_OF_AGENT } from '../store/room.ts';
import { type Alert, CLEARING, CLOSED, type LoadedRule, PENDING } from '../types.ts';
import { ClockOffset } from './clock-offset.ts';
import { adopt, type Live, liveOf } from './live.ts';
import { gapAfter } from './machine.ts';
import { kindOf, type PartKind } from './parts.ts';
import { type Plan, planOf } from './plan.ts';
import type { Row } from './variables.ts';
import { Minutes } from './windows.ts';

/** Reports that wait while the alerts of their agent are read. */
const MOST_WAITING = 16;

/** Parts of one agent whose alerts are active at a time; further ones are not judged. */
const MOST_ACTIVE_PARTS = 64;
/** Time for which full reports do not name a part until it counts as gone, ms. */
const GONE_MS = 15 * 60_000;

const NO_RULES: readonly LoadedRule[] = [];

/** Report on its way; `now` is the monotonic time of its arrival here. */
export interface Arrived {
  readonly row: Row;
  readonly now: number;
  readonly isFull: boolean;
}

/** Usual time between two reports of one kind. */
export class Pace {
  #last: number | undefined;
  #usual_ms = 0;

  /** Counts a report. @returns the distance from which on it is a gap */
  next(now: number): number {
    const elapsed = this.#last === undefined ? 0 : now - this.#last;
    this.#last = now;
    const gap = gapAfter(this.#usual_ms);
    // One long pause does not change the usual interval.
    const counted = Math.min(elapsed, 3 * Math.max(this.#usual_ms, 1_000));
    this.#usual_ms += (counted - this.#usual_ms) / 8;
    return gap;
  }
}

/** Alerts of one agent that are active at one moment. */
interface Census {
  readonly now: number;
  active: number;
  readonly parts: Set<string>;
}

/** Alerts and measurements of one agent in the memory of this server. */
export class AgentState {
  readonly agent: Agent;
  readonly lives = new Map<string, Live>();
  readonly minutes = new Map<string, Minutes>();
  readonly pace = new Pace();
  readonly fullPace = new Pace();
  clock = new ClockOffset(undefined);
  cores: number | undefined;
  /** Monotonic time at which cores were counted last. */
  coresAt = -Infinity;
  /** Monotonic time at which rows were read last; undefined: they never were. */
  loadedAt: number | undefined;
  heardAt = 0;
  /** Monotonic time of the last full report that was looked at. */
  partsAt = -Infinity;
  isRefilled = false;
  waiting: Arrived[] = [];
  #rules: readonly LoadedRule[] | undefined;
  #plan: Plan = planOf(NO_RULES);
  #parts: readonly LoadedRule[] | undefined;
  #byKind = new Map<PartKind, Plan>();
  /** Time for which full reports have come without a gap, ms; it stands still while none come. */
  #reported_ms = 0;
  /** `#reported_ms` at which a report named the part of an alert last. */
  readonly #named = new WeakMap<Live, number>();
  #census: Census | undefined;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  wait(arrived: Arrived): void {
    if (this.waiting.length < MOST_WAITING) this.waiting.push(arrived);
  }

  /** Returns the plan of these rules, which is made anew when they are another array. */
  planFor(rules: readonly LoadedRule[]): Plan {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#plan = planOf(rules);
      this.#keepMinutes();
    }
    return this.#plan;
  }

  #keepMinutes(): void {
    const names = new Set(this.#plan.windowed.map(({ name }) => name));
    for (const name of this.minutes.keys()) if (!names.has(name)) this.minutes.delete(name);
    for (const name of names) {
      if (this.minutes.has(name)) continue;
      this.minutes.set(name, new Minutes());
      this.isRefilled = false;
    }
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** Returns plans of rules on parts by the kind of part that they look at. */
  partPlans(rules: readonly LoadedRule[]): ReadonlyMap<PartKind, Plan> {
    if (rules === this.#parts) return this.#byKind;
    this.#parts = rules;
    const byKind = Map.groupBy(rules, kindOf);
    this.#byKind = new Map(
      [...byKind].flatMap(([kind, list]) => (kind ? [[kind, planOf(list)] as const] : [])),
    );
    return this.#byKind;
  }

  /** Returns the alert of a rule; undefined: there is none, and none is made. */
  live(rule: number, part: string): Live | undefined {
    return this.lives.get(keyOf(rule, part));
  }

  /** Takes the place of one more active alert of this part. @returns false: there is none left */
  takePlace(part: string, now: number): boolean {
    const census = this.#counted(now);
    if (census.active >= MOST_OF_AGENT) return false;
    if (part !== '' && !census.parts.has(part)) {
      if (census.parts.size >= MOST_ACTIVE_PARTS) return false;
      census.parts.add(part);
    }
    census.active++;
    return true;
  }

  #counted(now: number): Census {
    if (this.#census?.now === now) return this.#census;
    const active = [...this.lives.values()].filter(({ held }) => held.state !== CLOSED);
    const parts = new Set(active.map(({ key }) => key.part).filter((part) => part !== ''));
    this.#census = { now, active: active.length, parts };
    return this.#census;
  }

  /** Counts a full report at this monotonic time. @returns the distance from which on it is a gap */
  nextFull(now: number): number {
    const elapsed = now - this.partsAt;
    const gap = this.fullPace.next(now);
    this.partsAt = now;
    if (elapsed <= gap) this.#reported_ms += elapsed;
    return gap;
  }

  /** Notes that the full report which was counted last names the part of an alert. */
  names(live: Live): void {
    this.#named.set(live, this.#reported_ms);
  }

  /** Returns alerts of these rules whose part no report has named for long, those of rows that were never judged here included. */
  gone(rules: readonly LoadedRule[]): Live[] {
    if (this.lives.size === 0) return [];
    const ids = new Set(rules.map(({ rule }) => rule.id));
    const gone: Live[] = [];
    for (const live of this.lives.values()) {
      if (live.isWriting || !ids.has(live.key.rule_id)) continue;
      const named = this.#named.get(live);
      if (named === undefined) this.names(live);
      else if (this.#reported_ms - named >= GONE_MS) gone.push(live);
    }
    return gone;
  }

  forget({ key: { rule_id, part } }: Live): void {
    this.lives.delete(keyOf(rule_id, part));
  }

  begin(
    rule_id: number,
    part: string,
    moment: { readonly at: number; readonly now: number },
  ): Live {
    const key = { rule_id, subject_kind: 'agent', subject_id: this.agent.uuid, part } as const;
    const live = liveOf(key, undefined, moment);
    this.lives.set(keyOf(rule_id, part), live);
    return live;
  }

  /**
   * Takes rows as they are in the database: where another server changed one, or none is in memory. `since` is when they
   * were asked for: what was written later is newer.
   */
  loaded(
    rows: readonly Alert[],
    moment: { readonly at: number; readonly now: number; readonly since: number },
  ): void {
    const isFirst = this.loadedAt === undefined;
    this.loadedAt = moment.now;
    const isNewer = (live: Live) => live.isWriting || live.storedAt >= moment.since;
    const seen = new Set<string>();
    for (const row of rows) {
      const key = keyOf(row.rule_id, row.part);
      seen.add(key);
      const live = this.lives.get(key);
      if (!live) {
        // An alert that ended because its part is gone would come back each time.
        if (isFirst || row.part === '' || row.state !== CLOSED)
          this.lives.set(key, liveOf(placeOf(row), row, moment));
      } else if (!isNewer(live)) adopt(live, row);
    }
    for (const [key, live] of this.lives) {
      if (seen.has(key) || isNewer(live)) continue;
      live.row = undefined;
      const isGivenUp = live.held.state === PENDING && moment.now - live.lastAt > GONE_MS;
      if (live.held.state === CLOSED || isGivenUp) this.lives.delete(key);
    }
  }

  /** Alerts whose hold goes on: their progress is stored. */
  holding(): Live[] {
    return [...this.lives.values()].filter(
      ({ held, isWriting }) => !isWriting && (held.state === PENDING || held.state === CLEARING),
    );
  }
}

const keyOf = (rule: number, part: string): string => `${rule}/${part}`;
