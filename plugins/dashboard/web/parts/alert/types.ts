import type { Methods } from '@svc/client';

export type Alert = Methods['alert_list']['result']['alerts'][number];
export type Counts = Methods['alert_list']['result']['counts'];
export type AlertEvent = Methods['alert_history']['result'][number];
export type Rule = Methods['alert_rule_list']['result'][number];
export type Severity = Alert['severity'];

/** The worst first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** By severity, then the newest first. */
export const inOrder = (alerts: readonly Alert[]): readonly Alert[] =>
  alerts.toSorted(
    (a, b) =>
      rank(a.severity) - rank(b.severity) || (b.opened_at ?? b.since) - (a.opened_at ?? a.since),
  );

/** Tells whether another alert, or the silence of its machine, explains this one. */
export const isBelow = ({ hidden_by }: Alert): boolean =>
  hidden_by?.kind === 'subject' || hidden_by?.kind === 'frozen';

/** Unix ms: when it began, for the reader. */
export const beganAt = ({ opened_at, since }: Alert): number => opened_at ?? since;
