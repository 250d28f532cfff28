import type { TestApp } from '@svc/plugin-sdk/testing';
import { FULL_REPORT, STATIC_REPORT } from '../../plugins/agent/src/samples.ts';

export const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
export const B = 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20';
export const C = 'd2222222-11f2-4b1c-8a55-0f6f2f1a9e20';
/** Never registered. */
export const UNKNOWN = '99999999-7a35-4d0e-9c1b-52d3a8e0f411';

/** Plugins of a server that takes reports. */
export const PLUGINS = ['token', 'agent-uuid', 'agent'];

type Over = Record<string, unknown>;

/** The example of monitoring-data.md §3; its hash is the true one of its content. */
export const staticReport = (over: Over = {}): any => ({
  ...structuredClone(STATIC_REPORT),
  ...over,
});

/** The example of monitoring-data.md §4, with a GPU. */
export const dynamicReport = (over: Over = {}): any => ({
  ...structuredClone(FULL_REPORT),
  gpu: [
    {
      id: 1,
      used_memory: 1,
      total_memory: 2,
      graphics_clock_mhz: 3,
      sm_clock_mhz: 4,
      memory_clock_mhz: 5,
      video_clock_mhz: 6,
      utilization_gpu: 7,
      utilization_memory: 8,
      temperature: 9,
    },
  ],
  ...over,
});

/** The example of monitoring-data.md §5. */
export const summaryReport = (over: Over = {}): any => ({
  uuid: A,
  time: 1781000001000,
  cpu_usage: 172,
  gpu_usage: null,
  used_memory: 1073741824,
  total_memory: 4294967296,
  load_one: 3,
  load_five: 2,
  load_fifteen: 1,
  uptime: 100001,
  ...over,
});

export const SUMMARY_FIELDS = [
  'cpu_usage',
  'gpu_usage',
  'used_swap',
  'total_swap',
  'used_memory',
  'total_memory',
  'available_memory',
  'load_one',
  'load_five',
  'load_fifteen',
  'uptime',
  'boot_time',
  'process_count',
  'total_space',
  'available_space',
  'read_speed',
  'write_speed',
  'tcp_connections',
  'udp_connections',
  'total_received',
  'total_transmitted',
  'transmit_speed',
  'receive_speed',
];

/** What the three kinds are called on the wire. */
export const KINDS = [
  {
    kind: 'static',
    label: 'StaticMonitoring',
    permission: 'static_monitoring',
    table: 'static_monitoring',
    report: 'agent_report_static',
    reportParam: 'static_monitoring_data',
    query: 'agent_query_static',
    queryParam: 'static_data_query',
    multiLast: 'agent_static_data_multi_last_query',
    remove: 'agent_delete_static',
    fields: ['cpu', 'system', 'gpu'],
    /** A report of this agent at this time; each has a hash of its own. */
    make: (uuid: string, time: number) =>
      staticReport({ uuid, time, data_hash: [...Buffer.from(`${uuid.slice(0, 3)}${time}`)] }),
  },
  {
    kind: 'dynamic',
    label: 'DynamicMonitoring',
    permission: 'dynamic_monitoring',
    table: 'dynamic_monitoring',
    report: 'agent_report_dynamic',
    reportParam: 'dynamic_monitoring_data',
    query: 'agent_query_dynamic',
    queryParam: 'dynamic_data_query',
    multiLast: 'agent_dynamic_data_multi_last_query',
    remove: 'agent_delete_dynamic',
    fields: ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'],
    make: (uuid: string, time: number) => dynamicReport({ uuid, time }),
  },
  {
    kind: 'summary',
    label: 'DynamicMonitoringSummary',
    permission: 'dynamic_monitoring_summary',
    table: 'dynamic_monitoring_summary',
    report: 'agent_report_dynamic_summary',
    reportParam: 'data',
    query: 'agent_query_dynamic_summary',
    queryParam: 'query',
    multiLast: 'agent_dynamic_summary_multi_last_query',
    remove: 'agent_delete_dynamic_summary',
    fields: SUMMARY_FIELDS,
    make: (uuid: string, time: number) => summaryReport({ uuid, time }),
  },
] as const;

export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data: any;
}

/** The error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<Failure> {
  const result = await call.then(
    (value) => ({ value }),
    (error: Failure) => error,
  );
  if ('value' in result) throw new Error(`not refused: ${JSON.stringify(result.value)}`);
  return result;
}

/** Sends one call whose `params` are JSON text, so that any number can be written. @returns the answer as text */
export async function callText(app: TestApp, method: string, params: string): Promise<string> {
  const response = await app.fetch('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
  });
  return response.text();
}

/** JSON text of `value` with the value at `path` (`cpu.per_core.0.id`) replaced by `literal`; undefined takes it out. */
export function withLiteral(value: unknown, path: string, literal: string | undefined): string {
  const copy = structuredClone(value) as any;
  const names = path.split('.');
  const last = names.pop() as string;
  const parent = names.reduce((at, name) => at[name], copy);
  if (literal === undefined) delete parent[last];
  else parent[last] = '@literal@';
  return JSON.stringify(copy).replace('"@literal@"', literal as string);
}
