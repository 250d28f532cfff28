import type { Example } from '@svc/plugin-sdk';
import { testExamples } from './evaluate/examples.ts';
import { tellingExamples } from './telling-examples.ts';

const rule = {
  name: 'web busy',
  source: 'machine',
  scope: { tags: ['web'] },
  condition: 'avg("cpu_usage", "5m") > 90',
  clear: 'avg("cpu_usage", "5m") < 75',
  for_s: 300,
  clear_for_s: 300,
} as const;
const answer = {
  id: 14,
  ...rule,
  severity: 'warning',
  enable: true,
  notify: true,
  policy: null,
  repeat_s: null,
  summary: '',
  runbook: '',
  labels: {},
  shipped: null,
  owner: null,
  updated_at: 1781000000000,
  problem: null,
  open: 0,
};

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'alert_rule_check',
    params: { source: 'machine', condition: 'cpu_usge > 90' },
    result: {
      valid: false,
      errors: [
        {
          message: 'there is no variable cpu_usge; did you mean cpu_usage?',
          from: 0,
          to: 8,
          nearest: 'cpu_usage',
        },
      ],
      variables: [],
      matches: 0,
      true_now: 0,
      cut: false,
    },
  },
  {
    method: 'alert_rule_variables',
    params: { source: 'server' },
    result: [
      {
        name: 'problem',
        type: 'string',
        unit: '',
        title: 'Name of the problem',
        example: 'problem == "channel_failing"',
      },
    ],
  },
  { method: 'alert_rule_create', params: { rule }, result: answer },
  {
    method: 'alert_rule_update',
    params: { name: 'web busy', change: { severity: 'critical' } },
    result: { ...answer, severity: 'critical' },
  },
  {
    method: 'alert_rule_set_enable',
    params: { name: 'web busy', enable: false },
    result: { ...answer, severity: 'critical', enable: false },
  },
  {
    method: 'alert_rule_get',
    params: { name: 'web busy' },
    result: { ...answer, severity: 'critical', enable: false },
  },
  {
    method: 'alert_rule_list',
    params: {},
    result: [{ ...answer, severity: 'critical', enable: false }],
  },
  { method: 'alert_rule_delete', params: { name: 'web busy' }, result: { success: true } },
  {
    method: 'alert_rule_reset',
    params: { name: 'CPU busy' },
    result: {
      ...answer,
      id: 12,
      name: 'CPU busy',
      scope: { all: true },
      condition: 'avg("cpu_usage", "30m") > 95',
      clear: 'avg("cpu_usage", "30m") < 80',
      for_s: 0,
      clear_for_s: 600,
      severity: 'info',
      notify: false,
      shipped: 'cpu-busy',
    },
  },
  ...testExamples,
  {
    method: 'alert_list',
    params: {},
    result: {
      alerts: [],
      counts: { critical: 0, warning: 0, info: 0, unacked: 0 },
      last_closed_at: null,
    },
  },
  { method: 'alert_history', params: { kinds: ['opened', 'closed'] }, result: [] },
  {
    method: 'alert_subscribe',
    params: {},
    result: 260806939985419,
    item: {
      alerts: [],
      closed: [],
      counts: { critical: 0, warning: 0, info: 0, unacked: 0 },
    },
  },
  ...['alert_get', 'alert_ack', 'alert_unack', 'alert_close'].map((method) => ({
    method,
    params: { id: 40 },
    error: { code: 105, message: 'Not found in database: there is no alert 40' },
  })),
  {
    method: 'alert_note',
    params: { id: 40, text: 'New disk ordered.' },
    error: { code: 105, message: 'Not found in database: there is no alert 40' },
  },
  ...tellingExamples,
];
