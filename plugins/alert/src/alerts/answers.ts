import { setImmediate as breathe } from 'node:timers/promises';
import type { Channel, Severity } from '@svc/plugin-notify/api';
import type { Auth, Principal, Requirement } from '@svc/plugin-sdk';
import { MANY_OPENINGS } from '../evaluate/machine.ts';
import type { MonitorNames } from '../monitors.ts';
import { maySeeChannel } from '../permissions.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import { mayDo, type Subject } from '../rules/rights.ts';
import { asSevere } from '../rules/severity.ts';
import type { Alert, AlertDetail, AlertEvent, ListedAlert, Machines, Placed } from '../types.ts';
import { summaryText } from './summary.ts';
import { type IsVisible, visibleTo } from './visible.ts';
import { textOf } from './words.ts';

const HOUR_MS = 3_600_000;
const STATES = ['closed', 'pending', 'open', 'clearing'] as const;

/** Reason for which nothing is sent about an alert now. */
export interface HiddenBy {
  readonly kind: 'silence' | 'window' | 'subject' | 'frozen';
  readonly name: string;
  /** Text that is equal for all alerts that it hides. */
  readonly key: string;
  /** The right to see its name; null: whoever sees the alert may. */
  readonly wants: Requirement | null;
}

/** Rights of one caller to names, each asked once. */
interface NameRights {
  readonly mayName: (hidden: Pick<HiddenBy, 'key' | 'wants'>) => Promise<boolean>;
  readonly maySee: (channel: string) => Promise<boolean>;
}

/** Name of channels that a caller may not read. */
export const OTHER_CHANNEL = 'another channel';
/** Alerts whose reasons are looked up in one turn of the event loop. */
const SLICE = 100;

export interface AnswerParts {
  readonly now: () => number;
  readonly auth: Auth;
  readonly rules: Pick<LoadedRules, 'byId' | 'conditionOf'>;
  readonly machines: Pick<Machines, 'nameOf'>;
  readonly monitors: MonitorNames;
  readonly channels: () => Promise<readonly Channel[]>;
  readonly hiddenBy: (alert: Placed) => HiddenBy | null;
  /** The right to see the name of what has this key; null: whoever sees the alert may. */
  readonly wants: (key: string) => Requirement | null;
  /** Numbers of alerts that each of these suppresses, by id; without `isVisible` of all machines. */
  readonly below: (
    alerts: readonly Alert[],
    isVisible: IsVisible | undefined,
  ) => Promise<ReadonlyMap<number, number>>;
}

/** Alerts and events as methods answer them. */
export class Answers {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Alerts as this caller may see them. @throws RpcError 103 */
  async alerts(alerts: readonly Alert[], caller: Principal) {
    const isTold = alerts.some(({ told }) => told && told.length > 0);
    const channels = isTold ? await this.#parts.channels() : [];
    const names = new Map<number, string>();
    const maySee = this.channelsFor(caller);
    for (const { id, name } of channels) if (await maySee(name)) names.set(id, name);
    const mayName = this.#namesFor(caller);
    const below = await this.#below(alerts, caller);
    const answers = [];
    for (const [at, alert] of alerts.entries()) {
      if (at % SLICE === SLICE - 1) await breathe();
      const hidden = alert.state === 0 ? null : this.#parts.hiddenBy(alert);
      const name = hidden && (await mayName(hidden)) ? hidden.name : '';
      const hidden_by = hidden && { kind: hidden.kind, name };
      const told = toldTo(alert.told ?? [], names);
      answers.push({ ...this.#alert(alert), below: below.get(alert.id) ?? 0, hidden_by, told });
    }
    return answers;
  }

  async #below(alerts: readonly Alert[], caller: Principal) {
    const { auth, below } = this.#parts;
    const mayAll = await auth.allows(caller, mayDo('read'));
    return below(alerts, mayAll ? undefined : visibleTo(this.#parts, caller));
  }

  /** Numbers of open alerts by severity, and of those that nobody acknowledged and nothing hides. */
  async counts(alerts: readonly ListedAlert[]) {
    const { hiddenBy, now, rules } = this.#parts;
    const counts = { critical: 0, warning: 0, info: 0, unacked: 0 };
    for (const [at, alert] of alerts.entries()) {
      if (at % SLICE === SLICE - 1) await breathe();
      if (alert.state < 2) continue;
      const rule = rules.byId(alert.rule_id);
      counts[rule ? asSevere(rule, alert).severity : 'warning']++;
      if (!isAcked(alert, now()) && !hiddenBy(alert)) counts.unacked++;
    }
    return counts;
  }

  /** Returns whether a caller may know of a channel; each right is asked once. */
  channelsFor(caller: Principal): (name: string) => Promise<boolean> {
    const asked = new Map<string, Promise<boolean>>();
    return (name) => {
      const known = asked.get(name) ?? this.#parts.auth.allows(caller, maySeeChannel(name));
      asked.set(name, known);
      return known;
    };
  }

  #namesFor(caller: Principal): NameRights['mayName'] {
    const asked = new Map<string, Promise<boolean>>();
    return async ({ key, wants }) => {
      if (!wants) return true;
      const known = asked.get(key) ?? this.#parts.auth.allows(caller, wants);
      asked.set(key, known);
      return known;
    };
  }

  /** Events as this caller may see them: names in them need the right to what they name. */
  async events(events: readonly AlertEvent[], caller: Principal) {
    const rights = { mayName: this.#namesFor(caller), maySee: this.channelsFor(caller) };
    const answers = [];
    for (const event of events) {
      const { id, alert_id, part, episode, at, kind, by } = event;
      const subject = this.#subject(event);
      const place = { id, alert_id, ...this.#rule(event.rule_id, event.detail), subject, part };
      const detail = await this.#detail(event, rights);
      answers.push({ ...place, episode, at, kind, by, detail });
    }
    return answers;
  }

  async #detail({ kind, detail: stored }: AlertEvent, { mayName, maySee }: NameRights) {
    // Members that the dispatcher keeps for the end, and for these rights, are left out.
    const { telling: _telling, subject: _subject, key, ...detail } = stored;
    const { withheld } = detail;
    if (Array.isArray(withheld)) {
      const names = withheld.map(async (name) => ((await maySee(name)) ? name : OTHER_CHANNEL));
      return { ...detail, withheld: await Promise.all(names) };
    }
    if (kind !== 'suppressed') return detail;
    const wants = typeof key === 'string' ? this.#parts.wants(key) : undefined;
    const isKnown = typeof key === 'string' && wants !== undefined;
    return isKnown && (await mayName({ key, wants })) ? detail : { ...detail, name: '' };
  }

  #alert(alert: Alert) {
    const { now, rules } = this.#parts;
    const { id, rule_id, part, episode, since, opened_at, closed_at, value, detail } = alert;
    const { acked_by, acked_at, acked_until, ack_note, flaps, state } = alert;
    const known = rules.byId(rule_id);
    const rule = known && asSevere(known, alert);
    const subject = this.#subject(alert, detail.name);
    const measured = textOf(value, rules.conditionOf(rule_id));
    const value_text = measured || (detail.monitor?.detail ?? '');
    const threshold = detail.threshold ?? '';
    const duration = (closed_at ?? now()) - since;
    const { monitor } = detail;
    const texts = { part, value: value_text, threshold, since, duration, monitor };
    const tagged = { ...subject, tags: detail.tags ?? [] };
    const place = {
      id,
      ...this.#rule(rule_id, detail),
      rule_id,
      state: STATES[state],
      subject,
      part,
    };
    const times = { episode, since, opened_at, closed_at, value, value_text, threshold };
    return {
      ...place,
      ...times,
      summary: rule ? summaryText(rule, { ...texts, subject: tagged }) : '',
      ...{ acked_by, acked_at, acked_until, ack_note },
      flapping: flaps.filter((time) => time > now() - HOUR_MS).length >= MANY_OPENINGS,
    };
  }

  #subject(subject: Subject, known?: string) {
    const { subject_kind: kind, subject_id: id } = subject;
    const { machines, monitors } = this.#parts;
    if (kind === 'agent') return { kind, id, name: machines.nameOf(id) };
    if (kind !== 'monitor') return { kind, id, name: known ?? id };
    // Methods call monitors by their names.
    const name = monitors.nameOf(subject) || id;
    return { kind, id: name, name };
  }

  #rule(id: number, detail: AlertDetail): { readonly rule: string; readonly severity: Severity } {
    const { name = `rule ${id}`, severity = 'warning' } = this.#parts.rules.byId(id) ?? {};
    return { rule: name, severity: asSevere({ severity }, { detail }).severity };
  }
}

/** Names of the channels that were told; those that the caller may not read, or that have gone, are counted. */
function toldTo(told: readonly number[], names: ReadonlyMap<number, string>): string[] {
  const shown = told.flatMap((channel) => names.get(channel) ?? []);
  const others = told.length - shown.length;
  if (others === 0) return shown;
  return [...shown, others === 1 ? OTHER_CHANNEL : `${others} other channels`];
}

const isAcked = ({ acked_by, acked_until }: ListedAlert, now: number): boolean =>
  acked_by !== null && (acked_until === null || acked_until > now);
