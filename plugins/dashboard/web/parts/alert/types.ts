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

const isTold = ({ hidden_by }: Alert): boolean => hidden_by === null;

/** In their order; what is silenced asks for nothing: it stands last. */
export function toldFirst(alerts: readonly Alert[]): readonly Alert[] {
  const all = inOrder(alerts);
  return [...all.filter(isTold), ...all.filter((alert) => !isTold(alert))];
}

/** Tells whether another alert, or the silence of its machine, explains this one. */
export const isBelow = ({ hidden_by }: Alert): boolean =>
  hidden_by?.kind === 'subject' || hidden_by?.kind === 'frozen';

/** Tells whether people have hidden it, by a silence or by a window. */
export const isSilenced = ({ hidden_by }: Pick<Alert, 'hidden_by'>): boolean =>
  hidden_by?.kind === 'silence' || hidden_by?.kind === 'window';

/** Numbers of open alerts that are not silenced. */
export function toldCounts(alerts: readonly Alert[]): Counts {
  const counts = { critical: 0, warning: 0, info: 0, unacked: 0 };
  for (const alert of alerts) {
    if (isSilenced(alert)) continue;
    counts[alert.severity]++;
    if (alert.acked_by === null) counts.unacked++;
  }
  return counts;
}
