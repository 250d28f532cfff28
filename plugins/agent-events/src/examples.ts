import type { Example } from '@svc/plugin-sdk';

export const examples: readonly Example[] = [
  {
    method: 'agent_report_dynamic_summary',
    params: {
      data: {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        time: 1781000003000,
        cpu_usage: 172,
      },
    },
    result: { status: 'buffered' },
  },
  {
    method: 'agent_events',
    params: {
      agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      kinds: ['came', 'went'],
      to: 1781000000000,
      limit: 10,
    },
    result: [],
  },
  {
    method: 'agent_query_uptime',
    params: {
      agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      from: 1780963200000,
      to: 1781049600000,
    },
    result: [],
  },
];
