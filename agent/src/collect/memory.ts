import type { Sample } from '../reports.ts';
import { counter } from './numbers.ts';

/** Bytes that ZFS gives back when programs need them, from `/proc/spl/kstat/zfs/arcstats`. Its cache is no page cache. */
function zfsCache(arcstats: string): number {
  const of = (name: string) =>
    counter(new RegExp(`^${name}\\s+\\d+\\s+(\\d+)$`, 'm').exec(arcstats)?.[1]);
  return Math.max(0, of('size') - of('c_min'));
}

/** `/proc/meminfo` as bytes; `arcstats` is that of ZFS, empty where the cache is not in these figures. */
export function parseMemory(text: string, arcstats = ''): Sample['ram'] {
  const bytes = new Map<string, number>();
  for (const [, name, kilobytes] of text.matchAll(/^(\w+):\s+(\d+) kB$/gm)) {
    if (name) bytes.set(name, counter(kilobytes) * 1024);
  }
  const of = (name: string) => bytes.get(name) ?? 0;
  const total = of('MemTotal');
  // Kernels before 3.14 have no MemAvailable. Shared memory is counted as cached there, and cannot be given back.
  const cached = Math.max(0, of('Buffers') + of('Cached') - of('Shmem'));
  const given = bytes.get('MemAvailable') ?? of('MemFree') + cached + of('SReclaimable');
  const available = Math.min(total, given + zfsCache(arcstats));
  return {
    total_memory: total,
    available_memory: available,
    used_memory: total - available,
    total_swap: of('SwapTotal'),
    used_swap: Math.max(0, of('SwapTotal') - of('SwapFree')),
  };
}
