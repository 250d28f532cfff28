import { SEVERITIES, type Severity } from '@svc/plugin-notify/api';
import type {
  Alert,
  AlertDetail,
  AlertEvent,
  EventKind,
  Rule,
  RuleScope,
  Source,
  State,
  SubjectKind,
} from '../types.ts';

export const ALERT = `id, rule_id, subject_kind, subject_id, part, state, since, opened_at, closed_at, true_ms, false_ms, value,
  detail, version, episode, told, acked_by, acked_at, acked_until, ack_note, flaps, next_at, updated_at`;
export const EVENT =
  'id, alert_id, rule_id, subject_kind, subject_id, part, episode, at, kind, by_whom, detail, told, due, batch';
export const RULE = `id, name, enable, source, scope, condition, clear, for_s, clear_for_s, severity, notify, policy, repeat_s,
  summary, runbook, labels, shipped, touched, deleted, owner, version, meaning, created_at, updated_at, slow_at`;

type Texts<T, Keys extends keyof T> = Omit<T, Keys> & { readonly [Key in Keys]: string };

export type AlertRow = Texts<Omit<Alert, 'told'>, 'detail' | 'flaps' | 'subject_kind'> & {
  readonly told: string | null;
};
export type EventRow = Texts<
  Omit<AlertEvent, 'told' | 'by'>,
  'detail' | 'kind' | 'subject_kind'
> & {
  readonly told: string | null;
  readonly by_whom: string | null;
};
export type RuleRow = Texts<
  Omit<Rule, 'enable' | 'notify' | 'severity'>,
  'source' | 'scope' | 'labels'
> & {
  readonly enable: number;
  readonly notify: number;
  readonly severity: number;
  readonly touched: string;
  readonly deleted: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly slow_at: number | null;
};

/** Rule with what only the store and its methods look at. */
export interface StoredRule extends Rule {
  /** Fields of a shipped rule that people changed. */
  readonly touched: readonly string[];
  readonly deleted: boolean;
  readonly created_at: number;
  readonly updated_at: number;
  /** Unix ms at which it was switched off because it takes too long; null: it was not. */
  readonly slow_at: number | null;
}

const idsOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as number[]));

export const alertOf = (row: AlertRow): Alert => ({
  ...row,
  id: Number(row.id),
  rule_id: Number(row.rule_id),
  subject_kind: row.subject_kind as SubjectKind,
  state: row.state as State,
  detail: JSON.parse(row.detail) as AlertDetail,
  told: idsOf(row.told),
  flaps: JSON.parse(row.flaps) as number[],
});

export const eventOf = ({ by_whom, ...row }: EventRow): AlertEvent => ({
  ...row,
  id: Number(row.id),
  alert_id: Number(row.alert_id),
  rule_id: Number(row.rule_id),
  subject_kind: row.subject_kind as SubjectKind,
  kind: row.kind as EventKind,
  by: by_whom,
  detail: JSON.parse(row.detail) as Record<string, unknown>,
  told: idsOf(row.told),
});

export const ruleOf = (row: RuleRow): StoredRule => ({
  ...row,
  id: Number(row.id),
  enable: row.enable === 1,
  notify: row.notify === 1,
  deleted: row.deleted === 1,
  source: row.source as Source,
  severity: SEVERITIES[row.severity] as Severity,
  scope: JSON.parse(row.scope) as RuleScope,
  labels: JSON.parse(row.labels) as Record<string, string>,
  touched: JSON.parse(row.touched) as string[],
});
