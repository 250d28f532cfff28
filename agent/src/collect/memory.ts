import type { Sample } from '../reports.ts';
import { counter } from './numbers.ts';

/** `/proc/meminfo` as bytes. */
export function parseMemory(text: string): Sample['ram'] {
  const bytes = new Map<string, number>();
  for (const [, name, kilobytes] of text.matchAll(/^(\w+):\s+(\d+) kB$/gm)) {
    if (name) bytes.set(name, counter(kilobytes) * 1024);
  }
  const of = (name: string) => bytes.get(name) ?? 0;
  const total = of('MemTotal');
  // Kernels before 3.14 have no MemAvailable.
  const available = bytes.get('MemAvailable') ?? of('MemFree') + of('Buffers') + of('Cached');
  return {
    total_memory: total,
    available_memory: Math.min(available, total),
    used_memory: Math.max(0, total - available),
    total_swap: of('SwapTotal'),
    used_swap: Math.max(0, of('SwapTotal') - of('SwapFree')),
  };
}
