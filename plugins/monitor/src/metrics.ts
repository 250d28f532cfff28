import type { Runner } from '@svc/checks';
import type { Family } from '@svc/plugin-metrics/api';
import type { Recorder } from './engine/recorder.ts';

export interface Measured {
  readonly recorder: Pick<Recorder, 'counts' | 'lost'>;
  readonly runner: Pick<Runner, 'late'>;
  /** Monitors that this server checks. */
  readonly own: () => number;
}

export const families = ({ recorder, runner, own }: Measured): readonly Family[] => [
  {
    name: 'monitors_checked',
    type: 'gauge',
    help: 'Monitors that this server checks.',
    read: () => [{ value: own() }],
  },
  {
    name: 'monitor_checks',
    type: 'counter',
    help: 'Checks of this server, by outcome.',
    read: () =>
      Object.entries(recorder.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    name: 'monitor_checks_late',
    type: 'counter',
    help: 'Checks that were left out: they could not begin in time.',
    read: () => [{ value: runner.late }],
  },
  {
    name: 'monitor_results_lost',
    type: 'counter',
    help: 'Results that were lost: the database was away for too long.',
    read: () => [{ value: recorder.lost }],
  },
];
