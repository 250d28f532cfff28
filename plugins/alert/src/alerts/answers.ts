import type { Channel, Severity } from '@svc/plugin-notify/api';
import type { LoadedRules } from '../rules/loaded.ts';
import type { Alert, AlertEvent, Machines, Rules } from '../types.ts';
import { summaryText } from './summary.ts';
import { textOf } from './words.ts';

const HOUR_MS = 3_600_000;
/** Openings within an hour from which on an alert flaps. */
export const FLAPPING = 4;
const STATES = ['closed', 'pending', 'open', 'clearing'] as const;

/** Why nothing is sent of an alert now. */
export interface HiddenBy {
  readonly kind: 'silence' | 'window' | 'subject' | 'frozen';
  readonly name: string;
}

export interface AnswerParts {
  readonly now: () => number;
  readonly rules: Pick<LoadedRules, 'byId' | 'conditionOf'>;
  readonly machines: Pick<Machines, 'nameOf'>;
  readonly channels: () => Promise<readonly Channel[]>;
  readonly hiddenBy?: ((alert: Alert) => HiddenBy | null) | undefined;
  /** Number of alerts that this one suppresses. */
  readonly below?: ((alert: Alert) => number) | undefined;
}

/** Alerts and events as methods answer them. */
export class Answers {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 103 */
  async alerts(alerts: readonly Alert[]) {
    const isTold = alerts.some(({ told }) => told && told.length > 0);
    const channels = isTold ? await this.#parts.channels() : [];
    const names = new Map(channels.map(({ id, name }) => [id, name]));
    return alerts.map((alert) => this.#alert(alert, names));
  }

  event(event: AlertEvent) {
    const { id, alert_id, part, episode, at, kind, by } = event;
    // What the dispatcher keeps for the end is nobody else's.
    const { telling: _telling, ...detail } = event.detail;
    const subject = this.#subject(event);
    const place = { id, alert_id, ...this.#rule(event.rule_id), subject, part };
    return { ...place, episode, at, kind, by, detail };
  }

  #alert(alert: Alert, names: ReadonlyMap<number, string>) {
    const { now, hiddenBy, below, rules } = this.#parts;
    const { id, rule_id, part, episode, since, opened_at, closed_at, value, detail } = alert;
    const { acked_by, acked_at, acked_until, ack_note, flaps, told, state } = alert;
    const rule = rules.byId(rule_id);
    const subject = this.#subject(alert, detail.name);
    const value_text = textOf(value, rules.conditionOf(rule_id));
    const threshold = detail.threshold ?? '';
    const duration = (closed_at ?? now()) - since;
    const texts = { part, value: value_text, threshold, since, duration };
    const tagged = { ...subject, tags: detail.tags ?? [] };
    const place = { id, ...this.#rule(rule_id), rule_id, state: STATES[state], subject, part };
    const times = { episode, since, opened_at, closed_at, value, value_text, threshold };
    return {
      ...place,
      ...times,
      summary: rule ? summaryText(rule, { ...texts, subject: tagged }) : '',
      ...{ acked_by, acked_at, acked_until, ack_note },
      hidden_by: state === 0 ? null : (hiddenBy?.(alert) ?? null),
      told: (told ?? []).map((channel) => names.get(channel) ?? `channel ${channel}`),
      flapping: flaps.filter((time) => time > now() - HOUR_MS).length >= FLAPPING,
      below: below?.(alert) ?? 0,
    };
  }

  #subject(
    { subject_kind, subject_id }: Pick<Alert, 'subject_kind' | 'subject_id'>,
    known?: string,
  ) {
    const isAgent = subject_kind === 'agent';
    const name = isAgent ? this.#parts.machines.nameOf(subject_id) : (known ?? subject_id);
    return { kind: subject_kind, id: subject_id, name };
  }

  #rule(id: number): { readonly rule: string; readonly severity: Severity } {
    const { name = `rule ${id}`, severity = 'warning' } = this.#parts.rules.byId(id) ?? {};
    return { rule: name, severity };
  }
}

/** Numbers of open alerts by severity, and of those that nobody acknowledged. */
export function countsOf(alerts: Iterable<Alert>, rules: Pick<Rules, 'byId'>, now: number) {
  const counts = { critical: 0, warning: 0, info: 0, unacked: 0 };
  for (const alert of alerts) {
    if (alert.state < 2) continue;
    counts[rules.byId(alert.rule_id)?.severity ?? 'warning']++;
    if (!isAcked(alert, now)) counts.unacked++;
  }
  return counts;
}

const isAcked = ({ acked_by, acked_until }: Alert, now: number): boolean =>
  acked_by !== null && (acked_until === null || acked_until > now);
