import type { Session } from '../../session.ts';
import { MONITORS } from './monitors.ts';
import { type Part, without } from './part.ts';
import type { Item } from './step.ts';

const listed = (method: string) => async (session: Session) =>
  (await session.anyMethod.call(method, {})) as Item[];

/** Lists of a file, in the order in which they are applied: a rule names a policy, a policy channels. */
export const PARTS: Readonly<Record<string, Part>> = {
  channels: {
    word: 'channel',
    list: listed('channel_list'),
    defaults: { kind: '', config: {}, language: 'en', zone: 'UTC', enable: true },
    fixed: ['kind'],
    hasSecret: true,
    create: (item) => ['channel_create', { channel: item }],
    update: (item) => [
      'channel_update',
      { name: item.name, change: without(item, 'name', 'kind') },
    ],
    remove: (name) => ['channel_delete', { name }],
  },
  policies: {
    word: 'policy',
    list: listed('alert_policy_list'),
    defaults: {
      steps: [],
      group_by: 'rule',
      wait_s: 10,
      interval_s: 60,
      repeat_s: { critical: 14_400 },
      quiet: null,
      send_close: true,
    },
    fixed: [],
    create: (item) => ['alert_policy_set', { policy: item }],
    update: (item) => ['alert_policy_set', { policy: item }],
    remove: (name) => ['alert_policy_delete', { name }],
    stays: ({ name }) => name === 'default',
  },
  monitors: MONITORS,
  rules: {
    word: 'rule',
    list: listed('alert_rule_list'),
    defaults: {
      source: '',
      scope: {},
      condition: '',
      clear: null,
      for_s: 0,
      clear_for_s: 0,
      severity: 'warning',
      enable: true,
      notify: true,
      policy: null,
      repeat_s: null,
      summary: '',
      runbook: '',
      labels: {},
    },
    fixed: ['source'],
    create: (item) => ['alert_rule_create', { rule: item }],
    update: (item) => [
      'alert_rule_update',
      { name: item.name, change: without(item, 'name', 'source') },
    ],
    remove: (name) => ['alert_rule_delete', { name }],
    stays: ({ shipped }) => shipped !== null,
  },
  windows: {
    word: 'window',
    list: listed('alert_window_list'),
    defaults: {
      scope: {},
      zone: 'UTC',
      once: null,
      cron: null,
      duration_s: null,
      effect: 'quiet',
      public: [],
      enable: true,
    },
    fixed: [],
    create: (item) => ['alert_window_create', { window: item }],
    update: (item) => ['alert_window_update', { name: item.name, change: without(item, 'name') }],
    remove: (name) => ['alert_window_delete', { name }],
  },
};
