import type { Example } from '@svc/plugin-sdk';

/** Example of `alert_rule_test`. */
export const testExamples: readonly Example[] = [
  {
    method: 'alert_rule_test',
    params: {
      rule: {
        name: 'web busy',
        source: 'machine',
        scope: { all: true },
        condition: 'cpu_usage > 90',
        clear: 'cpu_usage < 75',
        for_s: 300,
        clear_for_s: 300,
      },
      from: 1780963200000,
      to: 1780963260000,
    },
    result: { episodes: [], messages: 0, evaluated: 0, source: 'raw', cut: false },
  },
];
