import { format } from '../../parts/index.ts';
import { boundsOf, spaceMood } from '../../parts/space.ts';
import { t } from '../../strings/index.ts';
import { usedSpace, type Vital } from './model.ts';

/** Part of a machine that is used. */
interface Gauge {
  readonly percent: number | undefined;
  /** Exact amounts, for who points at it. */
  readonly title?: string;
  /** Parts, 0 to 1, from which on it needs attention, and action. */
  readonly bounds: { readonly warn: number; readonly bad: number };
}

export const GAUGES = ['cpu', 'memory', 'disk'] as const;
export type GaugeId = (typeof GAUGES)[number];

export function gaugeOf(id: GaugeId, { row, memory, disk }: Vital): Gauge {
  if (id === 'cpu') return { percent: row?.cpu_usage ?? undefined, bounds: { warn: 0.9, bad: 2 } };
  if (id === 'memory')
    return {
      percent: memory === undefined ? undefined : memory * 100,
      title: amountsOf(row?.used_memory, row?.total_memory),
      bounds: { warn: 0.9, bad: 0.97 },
    };
  return {
    percent: disk === undefined ? undefined : disk * 100,
    title: amountsOf(usedSpace(row), row?.total_space),
    bounds: boundsOf(spaceMood(row?.total_space, row?.available_space)),
  };
}

/** "5.2 GiB of 8 GiB" */
function amountsOf(part: number | null | undefined, whole: number | null | undefined): string {
  if (part == null || whole == null) return '';
  return t.fleet.of2(format.text(format.bytes(part)), format.text(format.bytes(whole)));
}
