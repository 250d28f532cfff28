import { type Unit, units } from '../../../parts/chart/index.ts';
import { networkAmountUnit, networkRateUnit } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';
import type { Field } from './series.ts';

interface LineSpec {
  readonly field: Field;
  readonly label: () => string;
  readonly color: string;
  readonly dashed?: boolean;
  /** Field that is taken off the drawn one. */
  readonly minus?: Field;
}

/** One chart: which fields, how they are called, in which unit. */
export interface Spec {
  readonly id: string;
  readonly title: () => string;
  readonly unit: () => Unit;
  readonly lines: readonly LineSpec[];
  /** Leaves it out where no machine of this kind has it. */
  readonly isRare?: boolean;
}

const line = (field: LineSpec['field'], label: () => string, color: string, more = {}) => ({
  field,
  label,
  color,
  ...more,
});

const words = () => t.agent.fields;
const TOTAL = { dashed: true };

export const cpu: Spec = {
  id: 'cpu',
  title: () => words().cpu,
  unit: () => units.percent,
  lines: [line('cpu_usage', () => words().used, '--series-1')],
};
export const memory: Spec = {
  id: 'memory',
  title: () => words().memory,
  unit: () => units.bytes,
  lines: [
    line('used_memory', () => words().used, '--series-4'),
    line('available_memory', () => words().available, '--series-8'),
    line('total_memory', () => words().total, '--series-6', TOTAL),
  ],
};
export const network: Spec = {
  id: 'network',
  title: () => words().network,
  unit: networkRateUnit,
  lines: [
    line('receive_speed', () => words().received, '--series-3'),
    line('transmit_speed', () => words().sent, '--series-2'),
  ],
};
export const diskSpeed: Spec = {
  id: 'disk-speed',
  title: () => words().diskSpeed,
  unit: () => units.byteRate,
  lines: [
    line('read_speed', () => words().read, '--series-5'),
    line('write_speed', () => words().written, '--series-7'),
  ],
};

/** Every field of summaries. */
export const summarySpecs: readonly Spec[] = [
  cpu,
  memory,
  network,
  diskSpeed,
  {
    id: 'load',
    title: () => words().load,
    unit: () => units.load,
    lines: [
      line('load_one', () => words().minutes('1'), '--series-1'),
      line('load_five', () => words().minutes('5'), '--series-2'),
      line('load_fifteen', () => words().minutes('15'), '--series-6'),
    ],
  },
  {
    id: 'disk-space',
    title: () => words().diskSpace,
    unit: () => units.bytes,
    lines: [
      line('total_space', () => words().used, '--series-7', { minus: 'available_space' }),
      line('available_space', () => words().available, '--series-8'),
      line('total_space', () => words().total, '--series-6', TOTAL),
    ],
  },
  {
    id: 'connections',
    title: () => words().connections,
    unit: () => units.count,
    lines: [
      line('tcp_connections', () => 'TCP', '--series-1'),
      line('udp_connections', () => 'UDP', '--series-2'),
    ],
  },
  {
    id: 'processes',
    title: () => words().processes,
    unit: () => units.count,
    lines: [line('process_count', () => words().processes, '--series-5')],
  },
  {
    id: 'traffic',
    title: () => words().traffic,
    unit: networkAmountUnit,
    lines: [
      line('total_received', () => words().received, '--series-3'),
      line('total_transmitted', () => words().sent, '--series-2'),
    ],
  },
  {
    id: 'swap',
    title: () => words().swap,
    unit: () => units.bytes,
    lines: [
      line('used_swap', () => words().used, '--series-4'),
      line('total_swap', () => words().total, '--series-6', TOTAL),
    ],
  },
  {
    id: 'gpu',
    title: () => words().gpu,
    unit: () => units.percent,
    lines: [line('gpu_usage', () => words().used, '--series-7')],
    isRare: true,
  },
  {
    id: 'uptime',
    title: () => words().uptime,
    unit: () => units.seconds,
    lines: [line('uptime', () => words().uptime, '--series-6')],
  },
];

/** Charts that every disk and every interface has; cores share one. */
export const diskSpecs: readonly Spec[] = [
  {
    id: 'space',
    title: () => words().diskSpace,
    unit: () => units.bytes,
    lines: [
      line('disk.total_space', () => words().used, '--series-7', { minus: 'disk.available_space' }),
      line('disk.available_space', () => words().available, '--series-8'),
      line('disk.total_space', () => words().total, '--series-6', TOTAL),
    ],
  },
  {
    id: 'speed',
    title: () => words().diskSpeed,
    unit: () => units.byteRate,
    lines: [
      line('disk.read_speed', () => words().read, '--series-5'),
      line('disk.write_speed', () => words().written, '--series-7'),
    ],
  },
];
export const interfaceSpecs: readonly Spec[] = [
  {
    id: 'rate',
    title: () => words().network,
    unit: networkRateUnit,
    lines: [
      line('interface.receive_speed', () => words().received, '--series-3'),
      line('interface.transmit_speed', () => words().sent, '--series-2'),
    ],
  },
  {
    id: 'traffic',
    title: () => words().traffic,
    unit: networkAmountUnit,
    lines: [
      line('interface.total_received', () => words().received, '--series-3'),
      line('interface.total_transmitted', () => words().sent, '--series-2'),
    ],
  },
];
export const coreSpecs: readonly Spec[] = [
  {
    id: 'usage',
    title: () => words().coreUsage,
    unit: () => units.percent,
    lines: [line('core.cpu_usage', () => '', '')],
  },
  {
    id: 'frequency',
    title: () => words().coreFrequency,
    unit: () => units.megahertz,
    lines: [line('core.frequency_mhz', () => '', '')],
  },
];
export const gpuSpecs: readonly Spec[] = [
  {
    id: 'load',
    title: () => words().gpuLoad,
    unit: () => units.percent,
    lines: [
      line('gpu.utilization_gpu', () => words().chip, '--series-7'),
      line('gpu.utilization_memory', () => words().memory, '--series-4'),
    ],
  },
  {
    id: 'memory',
    title: () => words().gpuMemory,
    unit: () => units.bytes,
    lines: [
      line('gpu.used_memory', () => words().used, '--series-4'),
      line('gpu.total_memory', () => words().total, '--series-6', TOTAL),
    ],
  },
  {
    id: 'temperature',
    title: () => words().temperature,
    unit: () => units.degrees,
    lines: [line('gpu.temperature', () => words().temperature, '--series-2')],
  },
  {
    id: 'clocks',
    title: () => words().clocks,
    unit: () => units.megahertz,
    lines: [
      line('gpu.graphics_clock_mhz', () => words().graphics, '--series-1'),
      line('gpu.sm_clock_mhz', () => 'SM', '--series-2'),
      line('gpu.memory_clock_mhz', () => words().memory, '--series-4'),
      line('gpu.video_clock_mhz', () => words().video, '--series-6'),
    ],
  },
];

/** Fields that these charts are drawn from. */
export function fieldsOf(specs: readonly Spec[]): Field[] {
  const all = specs.flatMap(({ lines }) =>
    lines.flatMap(({ field, minus }) => (minus ? [field, minus] : [field])),
  );
  return [...new Set(all)] as Field[];
}
