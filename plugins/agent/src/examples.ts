import type { Example } from '@svc/plugin-sdk';
import { FULL_REPORT, STATIC_REPORT } from './samples.ts';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
  {
    method: 'agent_report_static',
    params: {
      static_monitoring_data: STATIC_REPORT,
    },
    result: { status: 'buffered' },
  },
  {
    method: 'agent_report_dynamic',
    params: {
      dynamic_monitoring_data: FULL_REPORT,
    },
    result: { status: 'buffered' },
  },
  {
    method: 'agent_report_dynamic_summary',
    params: {
      data: {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        time: 1781000002000,
        cpu_usage: 172,
        used_memory: 1073741824,
        total_memory: 4294967296,
        uptime: 100001,
        process_count: 87,
      },
    },
    result: { status: 'buffered' },
  },
  {
    method: 'agent_subscribe',
    params: {
      agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      fields: ['cpu_usage', 'used_memory'],
      interval_ms: 1000,
    },
    result: 260806939985418,
    item: {
      agents: [
        {
          uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
          timestamp: 1781000002000,
          cpu_usage: 17.2,
          used_memory: 1073741824,
        },
      ],
    },
  },
  {
    method: 'agent_query_static',
    params: {
      static_data_query: {
        fields: ['system'],
        condition: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }, 'last'],
      },
    },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000000123,
        system: STATIC_REPORT.system,
      },
    ],
  },
  {
    method: 'agent_query_dynamic',
    params: {
      dynamic_data_query: {
        fields: ['cpu', 'load'],
        condition: [
          { uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' },
          { timestamp_from: 1781000000000 },
          { limit: 10 },
        ],
      },
    },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000001000,
        cpu: FULL_REPORT.cpu,
        load: FULL_REPORT.load,
      },
    ],
  },
  {
    method: 'agent_query_dynamic_summary',
    params: {
      query: {
        fields: ['cpu_usage', 'used_memory'],
        condition: [
          { uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' },
          { timestamp_from_to: [1781000000000, 1781000060000] },
        ],
      },
    },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000002000,
        cpu_usage: 17.2,
        used_memory: 1073741824,
      },
    ],
  },
  {
    method: 'agent_static_data_multi_last_query',
    params: { uuids: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], fields: ['cpu'] },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000000123,
        cpu: STATIC_REPORT.cpu,
      },
    ],
  },
  {
    method: 'agent_dynamic_data_multi_last_query',
    params: { uuids: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], fields: ['ram'] },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000001000,
        ram: FULL_REPORT.ram,
      },
    ],
  },
  {
    method: 'agent_dynamic_summary_multi_last_query',
    params: { uuids: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'], fields: ['cpu_usage', 'uptime'] },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        timestamp: 1781000002000,
        cpu_usage: 17.2,
        uptime: 100001,
      },
    ],
  },
  {
    method: 'agent_delete_static',
    params: { conditions: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }] },
    result: { success: true, deleted: 1, condition_count: 1 },
  },
  {
    method: 'agent_delete_dynamic',
    params: {
      conditions: [
        { uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' },
        { timestamp_to: 1781000000000 },
      ],
    },
    result: { success: true, deleted: 0, condition_count: 2 },
  },
  {
    method: 'agent_delete_dynamic_summary',
    params: { conditions: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }, 'last'] },
    result: { success: true, deleted: 1, condition_count: 2 },
  },
];
