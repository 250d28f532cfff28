import type { Family } from './api.ts';

export interface Field extends Omit<Family, 'read'> {
  /** Member of a summary (docs/protocol/monitoring-data.md §5). */
  readonly field: string;
  /** Factor from what queries answer to the unit of the name. */
  readonly factor?: number;
}

const plain = (field: string, name: string, help: string): Field => ({
  field,
  name,
  type: 'gauge',
  help,
});
const bytes = (field: string, name: string, help: string): Field => ({
  ...plain(field, name, help),
  unit: 'bytes',
});
const ratio = (field: string, name: string, help: string): Field => ({
  ...plain(field, name, help),
  unit: 'ratio',
  factor: 0.01,
});
const seconds = (field: string, name: string, help: string): Field => ({
  ...plain(field, name, help),
  unit: 'seconds',
});
const traffic = (field: string, name: string, help: string): Field => ({
  ...bytes(field, name, help),
  type: 'counter',
});

/** The members of a summary, as metrics of an agent. */
export const FIELDS: readonly Field[] = [
  ratio('cpu_usage', 'agent_cpu_usage_ratio', 'Load of all cores, 0 to 1.'),
  ratio('gpu_usage', 'agent_gpu_usage_ratio', 'Load of the first graphics card, 0 to 1.'),
  plain('load_one', 'agent_load1', 'Load average of one minute.'),
  plain('load_five', 'agent_load5', 'Load average of five minutes.'),
  plain('load_fifteen', 'agent_load15', 'Load average of fifteen minutes.'),
  bytes('total_memory', 'agent_memory_size_bytes', 'Memory of the machine.'),
  bytes('used_memory', 'agent_memory_used_bytes', 'Memory in use.'),
  bytes('available_memory', 'agent_memory_available_bytes', 'Memory that programs may still get.'),
  bytes('total_swap', 'agent_swap_size_bytes', 'Swap space.'),
  bytes('used_swap', 'agent_swap_used_bytes', 'Swap space in use.'),
  bytes('total_space', 'agent_disk_size_bytes', 'Size of the disks that count, together.'),
  bytes('available_space', 'agent_disk_available_bytes', 'Free space of these disks.'),
  plain('read_speed', 'agent_disk_read_bytes_per_second', 'Read from these disks.'),
  plain('write_speed', 'agent_disk_written_bytes_per_second', 'Written to these disks.'),
  traffic('total_received', 'agent_network_received_bytes', 'Received since the start.'),
  traffic('total_transmitted', 'agent_network_sent_bytes', 'Sent since the start.'),
  plain('receive_speed', 'agent_network_received_bytes_per_second', 'Received at this time.'),
  plain('transmit_speed', 'agent_network_sent_bytes_per_second', 'Sent at this time.'),
  plain('tcp_connections', 'agent_tcp_connections', 'TCP connections.'),
  plain('udp_connections', 'agent_udp_connections', 'UDP sockets.'),
  plain('process_count', 'agent_processes', 'Running programs.'),
  seconds('uptime', 'agent_uptime_seconds', 'Since the machine was started.'),
  seconds('boot_time', 'agent_boot_time_seconds', 'When the machine was started, Unix time.'),
];
