import { optional, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { Int16, Int32, Int64, Uint64, words } from '@svc/plugin-sdk/schemas';

const values = {
  cpu_usage: optional(Int16),
  gpu_usage: optional(Int16),
  used_swap: optional(Int64),
  total_swap: optional(Int64),
  used_memory: optional(Int64),
  total_memory: optional(Int64),
  available_memory: optional(Int64),
  load_one: optional(Int16),
  load_five: optional(Int16),
  load_fifteen: optional(Int16),
  uptime: optional(Int32),
  boot_time: optional(Int64),
  process_count: optional(Int32),
  total_space: optional(Int64),
  available_space: optional(Int64),
  read_speed: optional(Int64),
  write_speed: optional(Int64),
  tcp_connections: optional(Int32),
  udp_connections: optional(Int32),
  total_received: optional(Int64),
  total_transmitted: optional(Int64),
  transmit_speed: optional(Int64),
  receive_speed: optional(Int64),
};

/** `agent_report_dynamic_summary` (monitoring-data.md §5); `cpu_usage` and the loads come times ten. */
export const SummaryReport = Type.Object({ uuid: Uuid, time: Uint64, ...values });
export type SummaryReport = Static<typeof SummaryReport>;

export const SummaryField = words([
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
]);

const numbers = Object.keys(values).map((name) => [name, optional(Type.Number())] as const);

/** One row of a read method; only the selected values are there, null where none was reported. */
export const SummaryRow = Type.Object({
  uuid: Type.Optional(Uuid),
  timestamp: Type.Integer(),
  ...Object.fromEntries(numbers),
});
