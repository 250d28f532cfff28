import type { Agent } from '@svc/plugin-agent-uuid/api';
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
    // One long pause is no new habit.
    const counted = Math.min(elapsed, 3 * Math.max(this.#usual_ms, 1_000));
    this.#usual_ms += (counted - this.#usual_ms) / 8;
    return gap;
  }
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
    this.loadedAt = moment.now;
    const isNewer = (live: Live) => live.isWriting || live.storedAt >= moment.since;
    const seen = new Set<string>();
    for (const row of rows) {
      const key = keyOf(row.rule_id, row.part);
      seen.add(key);
      const live = this.lives.get(key);
      if (!live) this.lives.set(key, liveOf(keyPart(row), row, moment));
      else if (!isNewer(live)) adopt(live, row);
    }
    for (const [key, live] of this.lives) {
      if (seen.has(key) || isNewer(live)) continue;
      live.row = undefined;
      if (live.held.state === CLOSED) this.lives.delete(key);
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
const keyPart = ({ rule_id, subject_kind, subject_id, part }: Alert) => ({
  rule_id,
  subject_kind,
  subject_id,
  part,
});
