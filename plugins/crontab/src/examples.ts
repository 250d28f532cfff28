import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'crontab_create',
    params: {
      name: 'edge latency',
      cron_expression: '* * * * * *',
      cron_type: {
        agent: [['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], { task: { ping: '192.0.2.7' } }],
      },
    },
    result: { id: 1 },
  },
  {
    method: 'crontab_create',
    params: {
      name: 'never',
      cron_expression: 'every day',
      cron_type: {
        agent: [['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], { task: { ping: '192.0.2.7' } }],
      },
    },
    error: {
      code: 101,
      message: 'Parse error: Invalid cron expression: every day\n^\nexpected a second',
    },
  },
  {
    method: 'crontab_get',
    params: {},
    result: [
      {
        id: 1,
        name: 'edge latency',
        enable: true,
        cron_expression: '* * * * * *',
        cron_type: {
          agent: [['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], { task: { ping: '192.0.2.7' } }],
        },
        last_run_time: 1795394634858,
      },
    ],
  },
  {
    method: 'crontab-result_query',
    params: { query: { condition: [{ cron_name: 'edge latency' }, { limit: 1 }] } },
    result: [
      {
        id: 4,
        cron_id: 1,
        cron_name: 'edge latency',
        relative_id: null,
        run_time: 1795394637004,
        success: false,
        message:
          'Task for agent 0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411 failed: agent 0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411 is not connected',
      },
    ],
  },
  {
    method: 'crontab_edit',
    params: {
      name: 'edge latency',
      cron_expression: '0 */5 * * * *',
      cron_type: {
        agent: [['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], { task: { ping: '192.0.2.7' } }],
      },
    },
    result: { id: 1, success: true },
  },
  {
    method: 'crontab_set_enable',
    params: { name: 'edge latency', enable: false },
    result: { success: true, enabled: false },
  },
  {
    method: 'crontab_set_enable',
    params: { name: 'unknown', enable: false },
    error: { code: 105, message: "Not found in database: no job is named 'unknown'" },
  },
  {
    method: 'crontab-result_delete',
    params: { query: { condition: [{ cron_name: 'edge latency' }] } },
    result: { success: true, deleted: 4, condition_count: 1 },
  },
  { method: 'crontab_delete', params: { name: 'edge latency' }, result: { success: true } },
];
