import type { Methods } from '@svc/client';
import { type Unit, units } from '../chart/index.ts';
import { comparisonsIn } from './condition.ts';

export type Field = Methods['agent_query_series']['params']['fields'][number];
type Values = (field: Field) => number | null;

/** How a variable of a rule is drawn from what is stored of a machine. */
export interface Measure {
  readonly fields: readonly Field[];
  readonly unit: Unit;
  readonly of: (values: Values) => number | null;
  /** Chart of the machine's page that shows it, and the line that a percentage is of. */
  readonly chart?: string;
  readonly isPart?: boolean;
}

const plain = (field: Field, unit: Unit, more: Partial<Measure> = {}): Measure => ({
  fields: [field],
  unit,
  of: (values) => values(field),
  ...more,
});

/** Percentage of `whole` that `part` is, or leaves where `isLeft`. */
const share = (
  part: Field,
  whole: Field,
  isLeft: boolean,
  more: Partial<Measure> = {},
): Measure => ({
  fields: [part, whole],
  unit: units.percent,
  of: (values) => {
    const [a, b] = [values(part), values(whole)];
    if (a === null || b === null || b <= 0) return null;
    return 100 * (isLeft ? 1 - a / b : a / b);
  },
  ...more,
});

const PART = { isPart: true };

const MEASURES: { readonly [variable: string]: Measure } = {
  cpu_usage: plain('cpu_usage', units.percent, { chart: 'cpu' }),
  gpu_usage: plain('gpu_usage', units.percent, { chart: 'gpu' }),
  memory_used_percent: share('available_memory', 'total_memory', true, { chart: 'memory' }),
  available_memory: plain('available_memory', units.bytes, { chart: 'memory' }),
  used_memory: plain('used_memory', units.bytes, { chart: 'memory' }),
  swap_used_percent: share('used_swap', 'total_swap', false, { chart: 'swap' }),
  used_swap: plain('used_swap', units.bytes, { chart: 'swap' }),
  disk_used_percent: share('available_space', 'total_space', true, { chart: 'disk-space' }),
  available_space: plain('available_space', units.bytes, { chart: 'disk-space' }),
  load_one: plain('load_one', units.load, { chart: 'load' }),
  load_five: plain('load_five', units.load, { chart: 'load' }),
  load_fifteen: plain('load_fifteen', units.load, { chart: 'load' }),
  receive_speed: plain('receive_speed', units.bitRate, { chart: 'network' }),
  transmit_speed: plain('transmit_speed', units.bitRate, { chart: 'network' }),
  read_speed: plain('read_speed', units.byteRate, { chart: 'disk-speed' }),
  write_speed: plain('write_speed', units.byteRate, { chart: 'disk-speed' }),
  process_count: plain('process_count', units.count, { chart: 'processes' }),
  tcp_connections: plain('tcp_connections', units.count, { chart: 'connections' }),
  udp_connections: plain('udp_connections', units.count, { chart: 'connections' }),
  uptime_s: plain('uptime', units.seconds, { chart: 'uptime' }),
  'disk.used_percent': share('disk.available_space', 'disk.total_space', true, PART),
  'disk.free': plain('disk.available_space', units.bytes, PART),
  'gpu.temperature': plain('gpu.temperature', units.degrees, PART),
  'gpu.usage': plain('gpu.utilization_gpu', units.percent, PART),
  'interface.receive_speed': plain('interface.receive_speed', units.bitRate, PART),
  'interface.transmit_speed': plain('interface.transmit_speed', units.bitRate, PART),
};

export interface Drawn {
  readonly variable: string;
  readonly measure: Measure;
  /** What it is compared with, in its unit. */
  readonly threshold: number;
}

/** First comparison of a condition that can be drawn. */
export function drawnOf(condition: string): Drawn | undefined {
  for (const { variable, value } of comparisonsIn(condition)) {
    const measure = MEASURES[variable];
    if (measure) return { variable, measure, threshold: value };
  }
  return undefined;
}
