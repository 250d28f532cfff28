import { setImmediate as breathe } from 'node:timers/promises';
import type { Channel } from '@svc/plugin-notify/api';
import { asSevere } from '../rules/severity.ts';
import { type AlertEvent, OPEN, type PolicyStep } from '../types.ts';
import { episodeOf } from './opened.ts';
import { union } from './openings.ts';
import type { DispatchParts } from './parts.ts';
import { nextAt, type Progress, repeatOf } from './schedule.ts';
import { type DispatchStore, eventFor, type NewEvent, type Told } from './store.ts';
import type { Suppressors } from './suppress.ts';
import type { Hearing, Teller, Telling } from './teller.ts';
import { type Decision, type Due, groupOf, noDecision } from './work.ts';

/** An acknowledged or suppressed alert is looked at again after so long: acknowledgements are taken back. */
const AGAIN_MS = 300_000;
/** Reminders of one turn of the event loop. */
const CHUNK = 100;

interface Reminder extends Omit<Due, 'event' | 'told'> {
  readonly opened: AlertEvent | undefined;
  readonly progress: Progress;
  /** Steps that are due now. */
  readonly steps: readonly number[];
  readonly isRepeat: boolean;
  readonly isUnacked: boolean;
  /** Key of the group in which the opening was told. */
  readonly group: string | undefined;
}

interface ReminderParts extends DispatchParts {
  readonly store: DispatchStore;
  readonly suppressors: Suppressors;
}

/** Repetitions and later steps of open alerts, by `alert.next_at`. */
export class Reminders {
  readonly #parts: ReminderParts;
  readonly #now: number;

  constructor(parts: ReminderParts, now: number) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Decisions on what is due, one for each group. @throws RpcError 103 */
  async decisions(teller: Teller): Promise<Decision[]> {
    const { store } = this.#parts;
    const alerts = await store.next(this.#now);
    if (alerts.length === 0) return [];
    const rest = noDecision();
    const history = await store.history(
      alerts.map(({ id }) => id),
      ['opened', 'reminded'],
    );
    const byAlert = Map.groupBy(history, ({ alert_id }) => alert_id);
    const groups = new Map<string, Reminder[]>();
    for (const [at, alert] of alerts.entries()) {
      if (at % CHUNK === CHUNK - 1) await breathe();
      const reminder = await this.#reminderOf(alert, byAlert.get(alert.id) ?? [], rest);
      if (!reminder) continue;
      const { policy, rule, group = groupOf(policy, rule, alert) } = reminder;
      const others = groups.get(group);
      if (others) others.push(reminder);
      else groups.set(group, [reminder]);
    }
    const decisions = [rest];
    for (const [key, all] of groups) decisions.push(await this.#decide(key, all, teller));
    return decisions;
  }

  async #reminderOf(
    alert: Told,
    history: readonly AlertEvent[],
    rest: Decision,
  ): Promise<Reminder | undefined> {
    const { rules, settings, mayTell, suppressors } = this.#parts;
    const now = this.#now;
    const later = (next_at: number | null) => void rest.next.push({ id: alert.id, next_at });
    const known = rules.byId(alert.rule_id);
    const rule = known && asSevere(known, alert);
    if (!rule?.notify || alert.state < OPEN || !(await mayTell(rule, alert, true)))
      return later(null);
    const { acked_at, acked_until } = alert;
    const isOver = acked_at !== null && acked_until !== null && acked_until <= now;
    if (acked_at !== null && !isOver)
      return later(Math.min(acked_until ?? now + AGAIN_MS, now + AGAIN_MS));
    const suppressor = suppressors.of(alert, rule, now);
    if (suppressor) return later(Math.max(suppressor.again, now + 1_000));
    const policy = settings.policies.of(rule);
    const own = history.filter(({ episode }) => episode === alert.episode);
    const opened = own.findLast(({ kind }) => kind === 'opened');
    const group = episodeOf(own, { alert_id: alert.id, episode: alert.episode }).opening?.group;
    const progress = { rule, policy, ...progressOf(alert, own) };
    const { told_at, repeated_at, steps: taken, told } = progress;
    const steps = policy.steps
      .map(({ after_s }) => after_s)
      .filter((after) => after > 0 && !taken.has(after) && told_at + after * 1_000 <= now);
    const repeat = repeatOf(progress);
    const isRepeat = told !== null && repeat !== undefined && repeated_at + repeat <= now;
    const due = { opened, progress, steps, isRepeat, isUnacked: isOver, group };
    return { alert, rule, policy, ...due };
  }

  async #decide(key: string, all: readonly Reminder[], teller: Teller): Promise<Decision> {
    const decision = noDecision();
    const repeats: Telling[] = [];
    const steps: Telling[] = [];
    const id = `${all[0]?.alert.id}-${all[0]?.alert.episode}-${this.#now}`;
    for (const [at, reminder] of all.entries()) {
      if (at % CHUNK === CHUNK - 1) await breathe();
      const repeat = await this.#repeatChannels(reminder, teller);
      const step = await this.#stepChannels(reminder, teller);
      if (repeat.channels.length > 0) repeats.push(tellingOf(reminder, repeat.channels));
      if (step.channels.length > 0) steps.push(tellingOf(reminder, step.channels));
      this.#store(reminder, { repeat, step, id }, decision);
    }
    const below = new Map<string, number>();
    const repeated = { type: 'alert.reminder', batch: `reminder-${id}`, key } as const;
    await teller.tell(repeats, repeated, below, decision);
    await teller.tell(steps, { type: 'alert.opened', batch: `step-${id}`, key }, below, decision);
    return decision;
  }

  /** Channels of the policy as it is now, up to the step that was taken last. */
  async #repeatChannels(
    { rule, policy, progress, isRepeat }: Reminder,
    teller: Teller,
  ): Promise<Hearing> {
    const isTaken = ({ after_s }: PolicyStep) => after_s === 0 || progress.steps.has(after_s);
    const steps = isRepeat ? policy.steps.filter(isTaken) : [];
    return teller.byName(
      steps.flatMap(({ channels }) => channels),
      rule,
    );
  }

  /** Channels of the steps that are due and, where the policy was changed, of earlier ones; without those that heard of it already. */
  async #stepChannels(
    { alert, rule, policy, progress, steps, isRepeat }: Reminder,
    teller: Teller,
  ): Promise<Hearing> {
    // A repetition goes to them in any case.
    const isTaken = (after_s: number) =>
      alert.told !== null && !isRepeat && (after_s === 0 || progress.steps.has(after_s));
    const due = policy.steps.filter(({ after_s }) => steps.includes(after_s) || isTaken(after_s));
    const names = due.flatMap(({ channels }) => channels);
    const { channels, withheld } = await teller.byName(names, rule);
    return { channels: channels.filter(({ id }) => !alert.told?.includes(id)), withheld };
  }

  #store(reminder: Reminder, { repeat, step, id }: Decided, decision: Decision): void {
    const { alert, progress, steps, isRepeat, isUnacked, opened } = reminder;
    const now = this.#now;
    const heard = [...repeat.channels, ...step.channels].map((channel) => channel.id);
    const told = union(alert.told, heard);
    const taken = new Set([...progress.steps, ...steps]);
    const repeated_at = isRepeat ? now : progress.repeated_at;
    const next_at = nextAt({ ...progress, steps: taken, repeated_at, told });
    const isNothing = heard.length + steps.length === 0 && !isRepeat && !isUnacked;
    if (isNothing) return void decision.next.push({ id: alert.id, next_at });
    decision.alerts.push({ id: alert.id, version: alert.version, told, next_at });
    const add = (detail: object, batch: string | null, kind: NewEvent['kind'] = 'reminded') =>
      decision.events.push(eventFor(alert, { at: now, kind, detail, batch }));
    if (isUnacked) {
      decision.unacked.push({ id: alert.id, version: alert.version });
      add({ until: alert.acked_until }, null, 'unacked');
    }
    const batchOf = ({ channels }: Hearing, batch: string) => (channels.length > 0 ? batch : null);
    const batch = batchOf(step, `step-${id}`);
    // Nobody heard of the alert yet: the step tells of the opening.
    const isFirst = alert.told === null && opened && steps.length > 0;
    if (isFirst) {
      const detail = { ...opened.detail, steps: [...taken] };
      decision.first.push({ id: opened.id, batch, detail });
    } else if (steps.length === 0 && batch !== null) add({ step: 0 }, batch);
    for (const after_s of isFirst ? [] : steps) add({ step: after_s, ...withheldOf(step) }, batch);
    if (isRepeat) add({ repeat: true, ...withheldOf(repeat) }, batchOf(repeat, `reminder-${id}`));
  }
}

interface Decided {
  readonly repeat: Hearing;
  readonly step: Hearing;
  readonly id: string;
}

const withheldOf = ({ withheld }: Hearing) => (withheld.length > 0 ? { withheld } : {});

const tellingOf = ({ alert, rule }: Reminder, channels: readonly Channel[]): Telling => {
  const { episode, since, value } = alert;
  return { alert, rule, channels, episode, since, closed_at: null, value, note: '' };
};

function progressOf(alert: Told, own: readonly AlertEvent[]): Omit<Progress, 'rule' | 'policy'> {
  const opened = own.findLast(({ kind }) => kind === 'opened');
  const toldAt = opened?.detail['told_at'];
  const told_at = typeof toldAt === 'number' ? toldAt : (alert.opened_at ?? alert.since);
  const repeated = own.findLast(({ detail }) => detail['repeat'] === true);
  const first = opened?.detail['steps'];
  const steps = [
    ...(Array.isArray(first) ? first : []),
    ...own.map(({ detail }) => detail['step']),
  ];
  const taken = new Set(steps.filter((step) => typeof step === 'number'));
  return { told_at, repeated_at: repeated?.at ?? told_at, steps: taken, told: alert.told };
}
