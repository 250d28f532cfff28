import { setImmediate as breathe } from 'node:timers/promises';
import { asSevere } from '../rules/severity.ts';
import { type AlertEvent, CLOSED, OPEN, type Rule } from '../types.ts';
import { calmOf, isFlapping } from './flapping.ts';
import { episodeOf, keptRule, TOLD_KINDS } from './opened.ts';
import type { DispatchParts } from './parts.ts';
import { type DispatchStore, eventFor, type Told } from './store.ts';
import type { Suppressor, Suppressors } from './suppress.ts';
import { type Decision, type Due, isFresh, noDecision } from './work.ts';

/** Time after an opening for which rules, tags and rights may reach this server later than the alert. */
const NEWS_MS = 30_000;
const NEWS_AGAIN_MS = 5_000;
/** Time that a check takes, and until it is known, and time for which the next one is waited for at most. */
const CHECK_MS = 15_000;
const MOST_CHECKED_MS = 120_000;
/** Events of one turn of the loop. */
const CHUNK = 100;

/** Events that are due, sorted by what becomes of them. */
export interface Sorted {
  /** Decisions without a message, for events that are over or wait. */
  readonly decision: Decision;
  readonly openings: readonly Due[];
  readonly flapping: readonly Due[];
  readonly ends: readonly Due[];
  /** Everything of the same alerts that is to be told at any time. */
  readonly waiting: readonly AlertEvent[];
}

interface SortingParts extends DispatchParts {
  readonly store: DispatchStore;
  readonly suppressors: Suppressors;
  /** Rule as it is, or as it was last: an end is told after its rule is deleted, too. */
  readonly lastRule: (id: number) => Rule | undefined;
}

/** Sorts events that are due by the state of their alerts now. */
export class Sorting {
  readonly #parts: SortingParts;
  readonly #now: number;
  readonly #decision = noDecision();
  readonly #openings: Due[] = [];
  readonly #flapping: Due[] = [];
  readonly #ends: Due[] = [];
  /** Openings whose episode is over. */
  readonly #over = new Set<number>();
  /** History of the alerts whose end is told. */
  #history: ReadonlyMap<number, readonly AlertEvent[]> = new Map();

  constructor(parts: SortingParts, now: number) {
    this.#parts = parts;
    this.#now = now;
  }

  /** @throws RpcError 103 */
  async run(events: readonly AlertEvent[]): Promise<Sorted> {
    const { store } = this.#parts;
    const alerts = await store.alerts([...new Set(events.map(({ alert_id }) => alert_id))]);
    const paired = [...alerts.values()].filter(
      ({ state, flaps }) => state === CLOSED || flaps.length > 1,
    );
    const waiting = await store.waiting(paired.map(({ id }) => id));
    const byAlert = Map.groupBy(waiting, ({ alert_id }) => alert_id);
    await this.#read(events);
    for (const event of events) {
      if (event.kind === 'opened') continue;
      const others = byAlert.get(event.alert_id) ?? [];
      if (this.#isEnd(event, others)) this.#end(event, alerts.get(event.alert_id));
      else this.#clear(event);
    }
    for (const [at, event] of events.entries()) {
      if (event.kind === 'opened' && !this.#over.has(event.id)) await this.#opening(event, alerts);
      if (at % CHUNK === CHUNK - 1) await breathe();
    }
    const told = { openings: this.#openings, flapping: this.#flapping, ends: this.#ends };
    return { decision: this.#decision, ...told, waiting };
  }

  async #read(events: readonly AlertEvent[]): Promise<void> {
    const ids = events.flatMap(({ told, alert_id }) => (told === null ? [] : alert_id));
    const history = await this.#parts.store.history([...new Set(ids)], TOLD_KINDS);
    this.#history = Map.groupBy(history, ({ alert_id }) => alert_id);
  }

  /** Clears what is still to be told of the opening. @returns whether somebody has to hear of the end */
  #isEnd({ kind, episode, told }: AlertEvent, others: readonly AlertEvent[]): boolean {
    if (kind !== 'closed' && kind !== 'expired') return false;
    for (const other of others) {
      if (other.kind !== 'opened' || other.episode !== episode || this.#over.has(other.id))
        continue;
      this.#over.add(other.id);
      this.#clear(other);
    }
    return told !== null && told.length > 0;
  }

  #end(event: AlertEvent, alert: Told | undefined): void {
    const told = episodeOf(this.#history.get(event.alert_id) ?? [], event);
    const known = this.#parts.lastRule(event.rule_id);
    const last = known ?? (told.opening && keptRule(event.rule_id, told.opening));
    if (!alert || !last) {
      if (alert) this.#leave(event);
      else this.#clear(event);
      return;
    }
    const rule = asSevere(last, alert);
    const state = { ...alert, state: CLOSED, closed_at: event.at } as const;
    if (isFlapping(state, rule, this.#now)) {
      this.#decision.moved.push({ id: event.id, due: event.at + calmOf(rule) });
      return;
    }
    const policy = this.#parts.settings.policies.of(rule);
    this.#ends.push({ event, alert, rule, policy, told });
  }

  async #opening(event: AlertEvent, alerts: ReadonlyMap<number, Told>): Promise<void> {
    const { rules, settings, mayTell, suppressors } = this.#parts;
    const alert = alerts.get(event.alert_id);
    const known = rules.byId(event.rule_id);
    if (alert?.episode !== event.episode || alert.state < OPEN) return this.#clear(event);
    const rule = known && asSevere(known, alert);
    if (!rule?.enable || !rule.notify || !(await mayTell(rule, alert, true))) {
      return this.#leave(event);
    }
    const suppressor = suppressors.of(alert, rule, this.#now);
    if (suppressor) return this.#suppress(event, alert, suppressor);
    const due = { event, alert, rule, policy: settings.policies.of(rule) };
    const wait_ms = Math.max(due.policy.wait_s * 1_000, this.#checkedWithin(alert));
    const isFreed = alert.suppressed_by !== null && alert.suppressed_by !== 'flapping';
    if (isFreed) this.#decision.suppressed.push({ id: alert.id, suppressed_by: null });
    if (isFreed && wait_ms > 0) {
      this.#decision.moved.push({ id: event.id, due: this.#now + wait_ms });
    } else if (isFlapping(alert, rule, this.#now)) this.#flapping.push(due);
    else this.#openings.push(due);
  }

  /** Time until a monitor is checked again, ms: what it hung on came back before it was looked at. */
  #checkedWithin({ subject_id, suppressed_by }: Told): number {
    const isBelow = /^(?:machine|monitor):/.test(suppressed_by ?? '');
    const monitor = isBelow ? this.#parts.monitors.of(subject_id) : undefined;
    return monitor ? Math.min(MOST_CHECKED_MS, monitor.interval_s * 1_000 + CHECK_MS) : 0;
  }

  #suppress(event: AlertEvent, alert: Told, { kind, key, name, again }: Suppressor): void {
    this.#decision.moved.push({ id: event.id, due: again });
    if (kind === 'late' || alert.suppressed_by === key) return;
    this.#decision.suppressed.push({ id: alert.id, suppressed_by: key });
    const detail = { by: kind, name, key };
    const more = { at: this.#now, kind: 'suppressed', detail, batch: null } as const;
    if (alert.suppressed_by === null) this.#decision.events.push(eventFor(alert, more));
  }

  /** Clears what nobody may be told; just after the opening that may become different yet. */
  #leave(event: AlertEvent): void {
    if (!isFresh(event) && this.#now - event.at >= NEWS_MS) this.#clear(event);
    else this.#decision.moved.push({ id: event.id, due: this.#now + NEWS_AGAIN_MS });
  }

  #clear({ id }: AlertEvent): void {
    this.#decision.decided.push({ id, batch: null });
  }
}
