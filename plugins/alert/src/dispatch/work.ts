import type { Outgoing } from '@svc/plugin-notify/api';
import type { AckLink } from '../ack/store.ts';
import { type AlertEvent, FRESH, type Policy, type Rule } from '../types.ts';
import type { Episode } from './opened.ts';
import type { NewEvent, Told } from './store.ts';
import type { AlertChange, Decided, Moved } from './store-decision.ts';

/** An event that is due, with the alert, the rule and the policy as they are now. */
export interface Due {
  readonly event: AlertEvent;
  readonly alert: Told;
  readonly rule: Rule;
  readonly policy: Policy;
  /** History of the episode; of ends only. */
  readonly told?: Episode;
}

/** Changes that one transaction stores. */
export interface Decision {
  readonly alerts: AlertChange[];
  readonly unacked: Pick<AlertChange, 'id' | 'version'>[];
  readonly next: Pick<AlertChange, 'id' | 'next_at'>[];
  readonly suppressed: { readonly id: number; readonly suppressed_by: string | null }[];
  readonly decided: Decided[];
  /** Openings that are decided already and told by a later step. */
  readonly first: Decided[];
  readonly moved: Moved[];
  readonly events: NewEvent[];
  readonly outgoing: Outgoing[];
  readonly links: AckLink[];
  /** Policies by key of the groups that were told of. */
  readonly groups: Map<string, number>;
}

export const noDecision = (): Decision => ({
  alerts: [],
  unacked: [],
  next: [],
  suppressed: [],
  decided: [],
  first: [],
  moved: [],
  events: [],
  outgoing: [],
  links: [],
  groups: new Map(),
});

export const isEmpty = (decision: Decision): boolean =>
  Object.values(decision).every((part) => (Array.isArray(part) ? part.length : part.size) === 0);

/** Tells whether nobody has looked at an event yet. */
export const isFresh = ({ due, at }: AlertEvent): boolean => due === FRESH || due === at;

/** Key of the group of machines that fell silent together, or of others by a word. */
export const massKeyOf = (policy: Policy, word = ''): string => `${policy.id}:${word}mass`;
/** Tells whether a group has alerts that neither rules nor one subject tell apart: its key stands in the history. */
export const isKept = (key: string): boolean => key.endsWith(':mass') || key.includes(':group:');

/** Key of the group in which an alert is told. */
export function groupOf(policy: Policy, rule: Rule, alert: Told): string {
  const by = {
    rule: `rule:${rule.id}`,
    subject: `subject:${alert.subject_kind}:${alert.subject_id}`,
    severity: `severity:${rule.severity}`,
    group: headingOf(alert),
    all: 'all',
  };
  return `${policy.id}:${by[policy.group_by]}`;
}

/** Group of a monitor; of anything else the subject. The text is one that a search for it finds as it is. */
function headingOf({ detail, subject_kind, subject_id }: Told): string {
  const group = detail.monitor?.group ?? '';
  if (group === '') return `subject:${subject_kind}:${subject_id}`;
  return `group:${Buffer.from(group).toString('hex')}`;
}
