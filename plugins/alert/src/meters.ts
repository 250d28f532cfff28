import type { Metrics } from '@svc/plugin-metrics/api';
import { SEVERITIES } from '@svc/plugin-notify/api';
import type { Evaluator } from './evaluate/evaluator.ts';
import type { StoredTransitions } from './store/transitions.ts';

export interface Measured {
  readonly evaluator: Pick<Evaluator, 'counts'>;
  readonly transitions: Pick<StoredTransitions, 'refused'>;
  /** Open alerts by severity, at most some seconds old. */
  readonly open: () => Readonly<Record<(typeof SEVERITIES)[number], number>>;
}

/** Adds the numbers of this plugin. */
export function addMeters(
  metrics: Metrics | undefined,
  { evaluator, transitions, open }: Measured,
): void {
  const { counts } = evaluator;
  const counter = (name: string, help: string, value: () => number) =>
    ({ name, type: 'counter', help, read: () => [{ value: value() }] }) as const;
  metrics?.add(
    {
      name: 'alerts_open',
      type: 'gauge',
      help: 'Open alerts by severity, of all servers.',
      read: () => SEVERITIES.map((severity) => ({ labels: { severity }, value: open()[severity] })),
    },
    counter('alert_reports', 'Reports that were judged.', () => counts.reports),
    counter('alert_evaluations', 'Evaluations of rules.', () => counts.evaluations),
    counter('alert_reports_late', 'Reports of the past, which are not judged.', () => counts.late),
    counter(
      'alert_reports_left',
      'Reports that were left out: too many waited.',
      () => counts.left,
    ),
    counter(
      'alerts_refused',
      'Alerts that did not begin: too many are open.',
      () => transitions.refused,
    ),
  );
}
