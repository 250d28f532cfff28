import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'task_register_task',
    params: { uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' },
    result: 93226151235179,
    item: { task_id: 1, task_token: 'wAHgooOBYH', task_event_type: { tcp_ping: '192.0.2.7:443' } },
  },
  {
    method: 'task_create_task',
    params: {
      target_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
      task_type: { tcp_ping: '192.0.2.7:443' },
    },
    result: { id: 1 },
  },
  {
    method: 'task_upload_task_result',
    params: {
      task_response: {
        task_id: 1,
        agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        task_token: 'wAHgooOBYH',
        timestamp: 1781000002000,
        success: true,
        error_message: null,
        task_event_result: { tcp_ping: 7.9 },
      },
    },
    result: { id: 1 },
  },
  {
    method: 'task_query',
    params: {
      task_data_query: {
        condition: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }, { type: 'tcp_ping' }, 'last'],
      },
    },
    result: [
      {
        task_id: 1,
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        cron_source: null,
        timestamp: 1781000002000,
        success: true,
        error_message: null,
        task_event_type: { tcp_ping: '192.0.2.7:443' },
        task_event_result: { tcp_ping: 7.9 },
      },
    ],
  },
  {
    method: 'task_create_task_blocking',
    params: {
      target_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
      task_type: { ping: '192.0.2.7' },
      timeout_ms: 10000,
    },
    result: {
      task_id: 2,
      agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
      task_token: '2RbLlbMmbN',
      timestamp: 1781000002000,
      success: true,
      error_message: null,
      task_event_result: { ping: 18.4 },
    },
  },
  {
    method: 'task_upload_task_result',
    params: {
      task_response: {
        task_id: 2,
        agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        task_token: '2RbLlbMmbN',
        timestamp: 1781000002000,
        success: true,
        error_message: null,
        task_event_result: { ping: 18.4 },
      },
    },
    result: { id: 2 },
  },
  {
    method: 'task_create_task',
    params: {
      target_uuid: '99999999-7a35-4d0e-9c1b-52d3a8e0f411',
      task_type: { ping: '192.0.2.7' },
    },
    error: {
      code: 104,
      message:
        'Unable to connect agent: agent 99999999-7a35-4d0e-9c1b-52d3a8e0f411 is not connected',
    },
  },
  {
    method: 'task_query_series',
    params: {
      type: 'ping',
      agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      from: 1781000000000,
      to: 1781000020000,
      points: 2,
    },
    result: {
      from: 1781000000000,
      step_ms: 10000,
      series: [
        {
          uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
          count: [1, 0],
          loss: [0, null],
          min: [18.4, null],
          p50: [18.4, null],
          p95: [18.4, null],
          p99: [18.4, null],
          max: [18.4, null],
        },
      ],
    },
  },
  {
    method: 'task_delete',
    params: {
      conditions: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }, { type: 'tcp_ping' }],
    },
    result: { success: true, deleted: 1, condition_count: 2 },
  },
];
