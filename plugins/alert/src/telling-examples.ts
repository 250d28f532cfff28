import type { Example } from '@svc/plugin-sdk';

const silence = {
  id: 1,
  scope: { tags: ['db'] },
  reason: 'new disk',
  created_by: 'root',
  created_at: 1_781_000_000_000,
  starts_at: 1_781_000_000_000,
  ends_at: 1_812_622_400_000,
  ended_by: null,
  hides: 0,
};
const night = {
  ...{ name: 'nights', steps: [], group_by: 'rule', wait_s: 10, interval_s: 60 },
  repeat_s: { critical: 14_400 },
  quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' },
  send_close: true,
};
const window = {
  name: 'backups',
  scope: { tags: ['db'] },
  zone: 'UTC',
  once: { from: 4_102_440_000_000, to: 4_102_443_600_000 },
};
const windowAnswer = {
  ...{ id: 1, ...window, cron: null, duration_s: null, effect: 'quiet', public: [], enable: true },
  active: false,
  next: [[4_102_440_000_000, 4_102_443_600_000]],
};
const named = { name: 'backups' };

/** Calls about silences, windows and policies for the documentation, in an order in which they work. */
export const tellingExamples: readonly Example[] = [
  {
    method: 'alert_silence_preview',
    params: { scope: { tags: ['db'] } },
    result: { hides: 0, alerts: [] },
  },
  {
    method: 'alert_window_create',
    params: { window },
    result: windowAnswer,
  },
  { method: 'alert_window_list', params: {}, result: [windowAnswer] },
  {
    method: 'alert_window_update',
    params: { ...named, change: { enable: false } },
    result: { ...windowAnswer, enable: false },
  },
  {
    method: 'alert_window_preview',
    params: {
      window: {
        ...{ name: 'nightly', scope: { tags: ['db'] }, cron: '30 2 * * *', duration_s: 3_600 },
        zone: 'Europe/Berlin',
      },
      from: 1_774_699_200_000,
      to: 1_774_785_600_000,
    },
    result: { active: [[1_774_746_000_000, 1_774_749_600_000]] },
  },
  { method: 'alert_window_delete', params: named, result: { success: true } },
  {
    method: 'alert_policy_set',
    params: { policy: { name: 'nights', steps: [], quiet: night.quiet } },
    result: night,
  },
  { method: 'alert_policy_delete', params: { name: 'nights' }, result: { success: true } },
  {
    method: 'alert_policy_list',
    params: {},
    result: [
      {
        ...{ name: 'default', steps: [], group_by: 'rule', wait_s: 10, interval_s: 60 },
        repeat_s: { critical: 14_400 },
        send_close: true,
      },
    ],
  },
  {
    method: 'alert_silence_create',
    params: {
      silence: { scope: { tags: ['db'] }, reason: 'new disk', ends_at: 4_102_444_800_000 },
    },
    result: silence,
  },
  { method: 'alert_silence_list', params: {}, result: [silence] },
  {
    method: 'alert_silence_end',
    params: { id: 1 },
    result: { ...silence, ends_at: 1_781_000_060_000, ended_by: 'root' },
  },
];
