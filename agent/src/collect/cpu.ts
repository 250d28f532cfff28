import type { CoreUsage } from '../reports.ts';
import { counter, percent } from './numbers.ts';

/** Clock ticks since boot of one line of `/proc/stat`. */
export interface CpuTimes {
  busy: number;
  total: number;
}

const EXACT_DIGITS = 15;

/** The `cpu` lines of `/proc/stat`; the key `''` is the whole machine, the others are core numbers. */
export function parseCpuTimes(text: string): Map<string, CpuTimes> {
  const times = new Map<string, CpuTimes>();
  for (const line of text.split('\n')) {
    // The `cpu` lines come first; the `intr` line after them can be very long.
    if (!line.startsWith('cpu')) break;
    const [name = '', ...fields] = line.split(/\s+/);
    // user nice system idle iowait irq softirq steal; guest time is already part of user and nice.
    // Idle time near 2^63 is seen in containers. The last digits hold what grows, and stay exact.
    const ticks = fields.slice(0, 8).map((text) => counter(text.slice(-EXACT_DIGITS)));
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
