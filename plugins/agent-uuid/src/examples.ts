import type { Example } from '@svc/plugin-sdk';

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). */
export const examples: readonly Example[] = [
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
  { method: 'agent-uuid_list_all', params: {}, result: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'] },
  {
    method: 'agent-uuid_list_all_with_agent_mode',
    params: {},
    result: [{ uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411', soft_delete: false }],
  },
  {
    method: 'agent-uuid_list',
    params: { agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'] },
    result: [
      {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        name: 'edge-7',
        host_name: 'node-α',
        tags: ['rack 1'],
        last_seen: 1781000002000,
        address: '198.51.100.23',
        version: '0.11.0',
        connected_for_tasks: false,
        tasks_allowed: false,
        last_refusal: {
          time: 1780990000000,
          code: 102,
          reason: 'Permission denied: Token has expired',
        },
        first_seen: 1780000000000,
      },
    ],
  },
  {
    method: 'svc-server_list_all_agent_uuid',
    params: {},
    result: { uuids: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'] },
  },
  {
    method: 'agent-uuid_delete',
    params: { agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' },
    result: { success: true, message: 'Agent UUID soft-deleted' },
  },
  {
    method: 'agent-uuid_delete',
    params: { agent_uuid: '99999999-7a35-4d0e-9c1b-52d3a8e0f411' },
    result: { success: false, message: 'Agent UUID not found' },
  },
];
