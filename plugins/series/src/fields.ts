import type { Part } from '@svc/plugin-agent/api';

/** One field of a series: its name on the wire, and the source of its values. */
export interface Field {
  readonly name: string;
  /** Part of full reports; undefined: summaries. */
  readonly part?: Part;
  /** Name of the value in its report. */
  readonly value: string;
  /** A stored value is this many times the answered one. */
  readonly stored: number;
  /** A value of a rollup is this many times the stored one: an integer. */
  readonly packed: number;
}

const summary = (value: string, stored = 1): Field => ({ name: value, value, stored, packed: 1 });
const of = (part: Part, value: string, packed = 1): Field => ({
  name: `${part}.${value}`,
  part,
  value,
  stored: 1,
  packed,
});

export const FIELDS: readonly Field[] = [
  summary('cpu_usage', 10),
  summary('gpu_usage'),
  summary('used_swap'),
  summary('total_swap'),
  summary('used_memory'),
  summary('total_memory'),
  summary('available_memory'),
  summary('load_one', 10),
  summary('load_five', 10),
  summary('load_fifteen', 10),
  summary('uptime'),
  summary('boot_time'),
  summary('process_count'),
  summary('total_space'),
  summary('available_space'),
  summary('read_speed'),
  summary('write_speed'),
  summary('tcp_connections'),
  summary('udp_connections'),
  summary('total_received'),
  summary('total_transmitted'),
  summary('transmit_speed'),
  summary('receive_speed'),
  of('disk', 'total_space'),
  of('disk', 'available_space'),
  of('disk', 'read_speed'),
  of('disk', 'write_speed'),
  of('interface', 'total_received'),
  of('interface', 'total_transmitted'),
  of('interface', 'receive_speed'),
  of('interface', 'transmit_speed'),
  // Hundredths of a percent.
  of('core', 'cpu_usage', 100),
  of('core', 'frequency_mhz'),
  of('gpu', 'utilization_gpu'),
  of('gpu', 'utilization_memory'),
  of('gpu', 'used_memory'),
  of('gpu', 'total_memory'),
  of('gpu', 'temperature'),
  of('gpu', 'graphics_clock_mhz'),
  of('gpu', 'sm_clock_mhz'),
  of('gpu', 'memory_clock_mhz'),
  of('gpu', 'video_clock_mhz'),
];

export const PARTS: readonly Part[] = ['disk', 'interface', 'core', 'gpu'];
/** The right to read each part, as the field of full reports is named. */
export const PART_RIGHT = { disk: 'disk', interface: 'network', core: 'cpu', gpu: 'gpu' } as const;

export const fieldsOf = (part: Part | undefined, among: readonly Field[] = FIELDS): Field[] =>
  among.filter((field) => field.part === part);

/** Key of a series in the table: the field, and the name of the disk, interface, core or card. */
export const keyOf = ({ name, part }: Field, of: string): string => (part ? `${name} ${of}` : name);
export const nameOf = (key: string): string =>
  key.includes(' ') ? key.slice(key.indexOf(' ') + 1) : '';
