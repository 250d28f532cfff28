import { AckStore } from '../ack/store.ts';
import type { IsVisible } from '../alerts/visible.ts';
import { asSevere } from '../rules/severity.ts';
import type { Alert, AlertEvent, Placed, Rule } from '../types.ts';
import { tellEnds } from './ends.ts';
import { calmOf } from './flapping.ts';
import { type Group, groupsOf } from './groups.ts';
import { type Flap, tellFlap, tellOpenings } from './openings.ts';
import type { DispatchParts } from './parts.ts';
import { Reminders } from './reminders.ts';
import { type Sorted, Sorting } from './sorting.ts';
import { DispatchStore, PAGE } from './store.ts';
import { Conflict, DecisionWriter } from './store-decision.ts';
import { Suppressors } from './suppress.ts';
import { suppressorKeyOf, Teller } from './teller.ts';
import { type Decision, type Due, groupOf, isEmpty, isFresh, noDecision } from './work.ts';

/** Events of one round. */
const MOST_DUE = 10_000;
const MOST_RULES = 2_000;
const GROUPS_MS = 86_400_000;
/** Time until a new event is looked at, at most, where all is well: an older one was written by a clock that differs, or waits already. */
const NEW_MS = 15_000;

/** Decides, on the server whose turn it is, who is told of openings and ends, and when. */
export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #store: DispatchStore;
  readonly #suppressors: Suppressors;
  /** Rules as they were last: those that were deleted are needed for their ends. */
  readonly #rules = new Map<number, Rule>();
  /** Times at which groups are told next, Unix ms. */
  readonly #scheduled = new Map<string, number>();
  /** Number of alerts that each suppressor hides. */
  #hidden: ReadonlyMap<string, number> = new Map();
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#store = new DispatchStore(parts.db);
    this.#suppressors = new Suppressors(parts);
  }

  /** One round; a second one beside it does nothing. @throws RpcError 103, with what was not decided still due */
  async run(now: number): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      this.#remember();
      const teller = new Teller(this.#parts, now);
      await this.#tell(teller, now);
      await this.#remind(teller, now);
      await this.#clean(now);
    } finally {
      this.#running = false;
    }
  }

  /** Unix ms at which something is due next; undefined: nothing waits. @throws RpcError 103 */
  nextAt(): Promise<number | undefined> {
    return this.#store.nextAt();
  }

  /** Reads what `hiddenBy` and `below` need. @throws RpcError 103 */
  async reload(): Promise<void> {
    await this.#suppressors.reload(this.#store);
    this.#hidden = await this.#store.allBelow();
  }

  /** Numbers of alerts that each of these suppresses, by id; without `isVisible` of all machines. @throws RpcError 103 */
  async below(
    alerts: readonly Alert[],
    isVisible: IsVisible | undefined,
  ): Promise<Map<number, number>> {
    const keys = new Map<number, string>();
    for (const alert of alerts) {
      const rule = this.#parts.rules.byId(alert.rule_id);
      const key = rule && suppressorKeyOf({ alert, rule });
      if (key !== undefined && this.#hidden.has(key)) keys.set(alert.id, key);
    }
    const own = isVisible && (await this.#store.visibleBelow([...keys.values()], isVisible));
    const counts = own ?? this.#hidden;
    return new Map([...keys].map(([id, key]) => [id, counts.get(key) ?? 0]));
  }

  /** Reason for which nothing is sent about an alert now; undefined: there is none. */
  hiddenBy(alert: Placed, now: number): Hidden | undefined {
    const rule = this.#parts.rules.byId(alert.rule_id);
    const suppressor = rule && this.#suppressors.of(alert, asSevere(rule, alert), now);
    if (!suppressor || suppressor.kind === 'quiet' || suppressor.kind === 'late') return undefined;
    return { kind: suppressor.kind, name: suppressor.name, key: suppressor.key };
  }

  async #tell(teller: Teller, now: number): Promise<void> {
    const events = [];
    for (let after = 0; events.length < MOST_DUE; ) {
      const page = await this.#store.due(now, after);
      events.push(...page);
      after = page.at(-1)?.id ?? 0;
      if (page.length < PAGE) break;
    }
    if (events.length === 0) return;
    await this.reload();
    const parts = { ...this.#parts, store: this.#store, suppressors: this.#suppressors };
    const sorting = new Sorting({ ...parts, lastRule: (id) => this.#rules.get(id) }, now);
    const sorted = await sorting.run(events);
    if (!(await this.#commit(sorted.decision, now))) return;
    const below = await this.#below(sorted);
    for (const flap of await this.#flaps(sorted)) {
      await this.#commit(await tellFlap(flap, teller, now), now);
    }
    for (const group of await this.#ready(groupsOf(sorted, this.#parts), now)) {
      await this.#tellGroup(group, teller, below, now);
    }
  }

  async #tellGroup(
    { key, openings, ends, title }: Group,
    teller: Teller,
    below: ReadonlyMap<string, number>,
    now: number,
  ): Promise<void> {
    if (ends.length > 0) {
      const mayTell = ({ rule, alert }: Due) => this.#parts.mayTell(rule, alert, false);
      await this.#commit(await tellEnds(key, ends, teller, mayTell), now);
    }
    if (openings.length === 0) return;
    await this.#commit(
      await tellOpenings({ key, items: openings, title }, teller, below, now),
      now,
    );
  }

  /** Groups whose time has come; the events of the others are moved to it. */
  async #ready(groups: readonly Group[], now: number): Promise<Group[]> {
    const sentAt = await this.#store.sentAt(groups.map(({ key }) => key));
    const ready: Group[] = [];
    const later = noDecision();
    for (const group of groups) {
      const all = [...group.openings, ...group.ends];
      const waits = all.map(({ event, policy }) =>
        isFresh(event) ? begunAt(event, now) + policy.wait_s * 1_000 : (event.due ?? now),
      );
      const planned = this.#scheduled.get(group.key) ?? Number.POSITIVE_INFINITY;
      const sent = sentAt.get(group.key) ?? Number.NEGATIVE_INFINITY;
      const pause_ms = (all[0]?.policy.interval_s ?? 0) * 1_000;
      const at = Math.max(Math.min(planned, ...waits.slice(0, PAGE)), sent + pause_ms);
      if (at <= now) {
        ready.push(group);
        this.#scheduled.delete(group.key);
      } else {
        this.#scheduled.set(group.key, at);
        later.moved.push(...all.map(({ event }) => ({ id: event.id, due: at })));
      }
    }
    for (const [key, at] of this.#scheduled) if (at < now) this.#scheduled.delete(key);
    await this.#commit(later, now);
    return ready;
  }

  async #flaps({ flapping, waiting }: Sorted): Promise<Flap[]> {
    if (flapping.length === 0) return [];
    const ids = flapping.map(({ alert }) => alert.id);
    const said = await this.#store.history(ids, ['flapping']);
    return flapping.map((due) => ({
      due,
      key: groupOf(due.policy, due.rule, due.alert),
      ends: waiting.flatMap(({ id, alert_id, kind, told, episode }) => {
        const isEnd = kind === 'closed' || kind === 'expired';
        const isOwn = alert_id === due.alert.id && episode < due.event.episode;
        return isOwn && isEnd && told ? [{ id, told }] : [];
      }),
      saidAt: said.findLast(({ alert_id }) => alert_id === due.alert.id)?.at,
      calm_ms: calmOf(due.rule),
    }));
  }

  #below({ openings }: Sorted): Promise<Map<string, number>> {
    return this.#store.below([...new Set(openings.map(suppressorKeyOf))]);
  }

  async #remind(teller: Teller, now: number): Promise<void> {
    const parts = { ...this.#parts, store: this.#store, suppressors: this.#suppressors };
    for (const decision of await new Reminders(parts, now).decisions(teller)) {
      await this.#commit(decision, now);
    }
  }

  /** Stores a decision whole. @returns false where an alert was changed meanwhile: it is decided anew in the next round */
  async #commit(decision: Decision, now: number): Promise<boolean> {
    if (isEmpty(decision)) return true;
    const { changed, db, log, notify } = this.#parts;
    try {
      await this.#store.transaction(async (trx) => {
        const writer = new DecisionWriter(db, trx);
        await writer.unacked(decision.unacked);
        await writer.told(decision.alerts);
        await writer.suppressed(decision.suppressed);
        await writer.next(decision.next);
        await writer.decided(decision.decided);
        await writer.first(decision.first);
        await writer.moved(decision.moved);
        await writer.add(decision.events);
        await AckStore.add(trx, decision.links);
        await writer.sent(decision.groups, now);
        if (decision.outgoing.length > 0) await notify.add(trx, decision.outgoing);
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Conflict ? error.cause : error;
      if (!(cause instanceof Conflict)) throw error;
      log.debug('alerts were changed while it was decided who is told', { error: cause });
      return false;
    }
    if (decision.outgoing.length > 0) notify.wake();
    const ids = [...decision.alerts, ...decision.suppressed].map(({ id }) => id);
    if (ids.length > 0) changed([...new Set(ids)]);
    return true;
  }

  #remember(): void {
    for (const rule of this.#parts.rules.list()) {
      this.#rules.delete(rule.id);
      this.#rules.set(rule.id, rule);
    }
    for (const id of this.#rules.keys()) {
      if (this.#rules.size <= MOST_RULES) return;
      this.#rules.delete(id);
    }
  }

  async #clean(now: number): Promise<void> {
    if (Math.abs(now - this.#cleanedAt) < GROUPS_MS / 24) return;
    this.#cleanedAt = now;
    await this.#store.dropGroups(now - GROUPS_MS);
    await new AckStore(this.#parts.db).clean(now);
  }
}

/** Time from which the wait of an event counts: by the clock of this server, whatever the one of the writer says. */
const begunAt = ({ at }: AlertEvent, now: number) => (at > now || at < now - NEW_MS ? now : at);

export interface Hidden {
  readonly kind: 'silence' | 'window' | 'subject' | 'frozen';
  readonly name: string;
  /** `Suppressor.key` */
  readonly key: string;
}
