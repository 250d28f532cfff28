import { type Signal, useSignal } from '@preact/signals';
import type { Subscriptions } from '@svc/client';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { useLive, useServer } from '../../frame/index.ts';
import { Listening } from '../../parts/listening.ts';
import { keyOf, type Sample } from './charts/series.ts';

type Row = Subscriptions['agent_subscribe']['item']['agents'][number];
export type Dynamic = Extract<Row, { network?: unknown }>;

/** Reports of some minutes: longer than history is asked anew. */
const KEPT = 240;

export interface Reports {
  readonly samples: Signal<readonly Sample[]>;
  /** The newest full report. */
  readonly full: Signal<Dynamic | undefined>;
  /** Unix ms by this device's clock; undefined: none has come since the page was opened. */
  readonly arrivedAt: Signal<number | undefined>;
  readonly state: ReturnType<typeof useLive>['state'];
}

/** The reports of one agent as they come. */
export function useReports(uuid: string, kind: 'summary' | 'dynamic'): Reports {
  const { subscribe, covers } = useServer();
  const right = kind === 'summary' ? 'dynamic_monitoring_summary' : 'dynamic_monitoring';
  const samples = useSignal<readonly Sample[]>([]);
  const full = useSignal<Dynamic | undefined>(undefined);
  const arrivedAt = useSignal<number | undefined>(undefined);
  useLayoutEffect(() => {
    samples.value = [];
    full.value = undefined;
    arrivedAt.value = undefined;
  }, [uuid]);
  const { state } = useLive(
    `${uuid} ${kind}`,
    covers(right, 'read', uuid)
      ? () => subscribe('agent_subscribe', { agents: [uuid], kind, interval_ms: 1000 })
      : undefined,
    ({ agents }) => {
      for (const row of agents) {
        const sample = sampleOf(row, kind);
        // The first one is what the server has; it says nothing of now.
        if (samples.value.length > 0) arrivedAt.value = Date.now();
        if (sample.time === samples.value.at(-1)?.time) continue;
        // The newest report may have an earlier time: its clock was ahead and is set right.
        const before = samples.value.filter(({ time }) => time < sample.time);
        samples.value = [...before.slice(1 - KEPT), sample];
        if (kind === 'dynamic') full.value = row as Dynamic;
      }
    },
  );
  return { samples, full, arrivedAt, state };
}

function sampleOf(row: Row, kind: 'summary' | 'dynamic'): Sample {
  if (kind === 'summary')
    return { time: row.timestamp, values: row as unknown as Sample['values'] };
  return { time: row.timestamp, values: valuesOf(row as Dynamic) };
}

const GPU_VALUES = [
  'utilization_gpu',
  'utilization_memory',
  'used_memory',
  'total_memory',
  'temperature',
  'graphics_clock_mhz',
  'sm_clock_mhz',
  'memory_clock_mhz',
  'video_clock_mhz',
] as const;

/** A full report by the keys of series. */
export function valuesOf({ cpu, disk, network, gpu }: Dynamic): Sample['values'] {
  const values: Record<string, number> = {};
  for (const { id, cpu_usage, frequency_mhz } of cpu?.per_core ?? []) {
    values[keyOf('core.cpu_usage', String(id))] = cpu_usage;
    values[keyOf('core.frequency_mhz', String(id))] = frequency_mhz;
  }
  for (const one of disk ?? [])
    for (const name of ['total_space', 'available_space', 'read_speed', 'write_speed'] as const)
      values[keyOf(`disk.${name}`, one.mount_point)] = one[name];
  const traffic = [
    'total_received',
    'total_transmitted',
    'receive_speed',
    'transmit_speed',
  ] as const;
  for (const one of network?.interfaces ?? [])
    for (const name of traffic) values[keyOf(`interface.${name}`, one.interface_name)] = one[name];
  for (const one of gpu ?? [])
    for (const name of GPU_VALUES) values[keyOf(`gpu.${name}`, String(one.id))] = one[name];
  return values;
}

/** Time for what is concluded from silence, Unix ms, read every `every_ms` while the page is visible. */
export function useListening(every_ms: number): number {
  const listening = useMemo(() => new Listening(), []);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      listening.sign(document.hidden);
      if (!document.hidden) setNow(listening.now());
    }, every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now;
}
