import type { Example } from '@svc/plugin-sdk';

export const examples: readonly Example[] = [
  {
    method: 'agent_report_dynamic_summary',
    params: {
      data: {
        uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
        time: 1781000000500,
        cpu_usage: 172,
      },
    },
    result: { status: 'buffered' },
  },
  {
    method: 'agent_query_series',
    params: {
      agents: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      fields: ['cpu_usage'],
      from: 1781000000000,
      to: 1781000020000,
      points: 2,
    },
    result: {
      from: 1781000000000,
      step_ms: 10000,
      source: 'raw',
      series: [
        {
          uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411',
          field: 'cpu_usage',
          min: [17.2, null],
          avg: [17.2, null],
          max: [17.2, null],
          last: [17.2, null],
        },
      ],
    },
  },
  {
    method: 'agent_query_traffic',
    params: {
      uuids: ['0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411'],
      from: 1780272000000,
      to: 1781000000000,
      by: 'day',
    },
    result: [],
  },
];
