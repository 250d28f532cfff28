import type { Family, Sample } from '@svc/plugin-metrics/api';
import type { Appender } from '@svc/plugin-sdk/sql';

/** Returns metrics of what the tables of reports take in, by kind of report. */
export function reportFamilies(appenders: { readonly [kind: string]: Appender }): Family[] {
  const each = (value: (appender: Appender) => number) => (): Sample[] =>
    Object.entries(appenders).map(([kind, appender]) => ({
      labels: { kind },
      value: value(appender),
    }));
  return [
    {
      name: 'report_queue',
      type: 'gauge',
      help: 'Reports that wait for the database; their senders wait for the answer.',
      read: each(({ waiting }) => waiting),
    },
    {
      name: 'reports_stored',
      type: 'counter',
      help: 'Reports that are in the database.',
      read: each(({ stored }) => stored.rows),
    },
    {
      name: 'reports_refused',
      type: 'counter',
      help: 'Reports that the database did not take: their senders were told so.',
      read: each(({ refused }) => refused),
    },
    {
      name: 'report_batches',
      type: 'counter',
      help: 'Commits of reports; stored reports by commits are the size of a batch.',
      read: each(({ stored }) => stored.batches),
    },
    {
      name: 'report_commit_seconds',
      type: 'counter',
      unit: 'seconds',
      help: 'Time of these commits, together.',
      read: each(({ stored }) => stored.ms / 1_000),
    },
  ];
}
