import type { CoreUsage, Inventory } from '../reports.ts';
import { counter, percent } from './numbers.ts';

/** Clock ticks since boot of one line of `/proc/stat`. */
export interface CpuTimes {
  busy: number;
  total: number;
}

/** The `cpu` lines of `/proc/stat`; the key `''` is the whole machine, the others are core numbers. */
export function parseCpuTimes(text: string): Map<string, CpuTimes> {
  const times = new Map<string, CpuTimes>();
  for (const line of text.split('\n')) {
    // The `cpu` lines come first; the `intr` line after them can be very long.
    if (!line.startsWith('cpu')) break;
    const [name = '', ...fields] = line.split(/\s+/);
    // user nice system idle iowait irq softirq steal; guest time is already part of user and nice.
    const ticks = fields.slice(0, 8).map(counter);
    const total = ticks.reduce((sum, value) => sum + value, 0);
    times.set(name.slice(3), { busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0), total });
  }
  return times;
}

/** Percent of time spent working between two readings; 0 for a core that was not there before. */
export function usageBetween(before: CpuTimes | undefined, after: CpuTimes | undefined): number {
  if (!before || !after) return 0;
  return percent(after.busy - before.busy, after.total - before.total);
}

/** The `cpu` part of a dynamic report, from two readings of `/proc/stat`. */
export function cpuUsage(
  before: Map<string, CpuTimes>,
  after: Map<string, CpuTimes>,
  mhz: ReadonlyMap<number, number>,
): { per_core: CoreUsage[]; total_cpu_usage: number } {
  const cores = [...after.keys()].filter((name) => name !== '');
  return {
    per_core: cores.map((name) => ({
      id: Number(name) + 1,
      cpu_usage: usageBetween(before.get(name), after.get(name)),
      frequency_mhz: mhz.get(Number(name)) ?? 0,
    })),
    total_cpu_usage: usageBetween(before.get(''), after.get('')),
  };
}

/** The records of `/proc/cpuinfo`, one per logical core. */
export function parseCpuInfo(text: string): Map<string, string>[] {
  const records = text.split(/\n\s*\n/).map((block) => {
    const pairs = block.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    });
    return new Map(pairs);
  });
  return records.filter((record) => record.has('processor'));
}

/** MHz by core number; empty where `/proc/cpuinfo` holds none, as on Arm. */
export function parseFrequencies(text: string): Map<number, number> {
  const mhz = new Map<number, number>();
  for (const record of parseCpuInfo(text)) {
    const value = record.get('cpu MHz');
    if (value) mhz.set(counter(record.get('processor')), Math.round(Number(value)) || 0);
  }
  return mhz;
}

/** The `cpu` part of a static report; `physical_cores` is 0 where `/proc/cpuinfo` does not hold it. */
export function cpuInventory(text: string): Inventory['cpu'] {
  const records = parseCpuInfo(text);
  const cores = new Set(
    records.flatMap((record) => {
      const core = record.get('core id');
      return core === undefined ? [] : [`${record.get('physical id') ?? '0'}/${core}`];
    }),
  );
  return {
    physical_cores: cores.size,
    logical_cores: records.length,
    per_core: records.map((record) => {
      const number = counter(record.get('processor'));
      return {
        id: number + 1,
        name: `cpu${number}`,
        vendor_id: record.get('vendor_id') ?? '',
        brand: record.get('model name') ?? '',
      };
    }),
  };
}
