import type { Disk, Sample } from '../reports.ts';
import type { Traffic } from './network.ts';
import { counter } from './numbers.ts';
import { run } from './run.ts';

/** Figures that macOS gives by its programs. */
export interface DarwinFigures {
  ram: Pick<Sample['ram'], 'available_memory' | 'total_swap' | 'used_swap'>;
  process_count: number;
  disks: Disk[];
  traffic: Map<string, Traffic>;
  at_ms: number;
}

const LIMIT_MS = 3000;

const ask = (program: string, ...args: string[]): Promise<string> =>
  run(program, args, { timeout: LIMIT_MS, env: { ...process.env, LC_ALL: 'C' } });

/** Asks the programs. Each takes some milliseconds, so this is for every ten seconds. */
export async function readDarwin(steady: () => number): Promise<DarwinFigures> {
  const [memory, swap, processes, disks, traffic] = await Promise.all([
    ask('/usr/bin/vm_stat'),
    ask('/usr/sbin/sysctl', '-n', 'vm.swapusage'),
    ask('/bin/ps', '-A', '-o', 'pid='),
    ask('/bin/df', '-kP'),
    ask('/usr/sbin/netstat', '-ibn'),
  ]);
  return {
    ram: { available_memory: parseVmStat(memory), ...parseSwap(swap) },
    process_count: processes.split('\n').filter((line) => line.trim() !== '').length,
    disks: parseDf(disks),
    traffic: parseNetstat(traffic),
    at_ms: steady(),
  };
}

/** Bytes that programs can have without anything being written out. */
export function parseVmStat(text: string): number {
  const size = counter(/page size of (\d+) bytes/.exec(text)?.[1]);
  const pages = (name: string) =>
    counter(new RegExp(`^Pages ${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
  return size * (pages('free') + pages('inactive') + pages('speculative') + pages('purgeable'));
}

/** `total = 2048.00M  used = 1018.25M …` as bytes. */
export function parseSwap(text: string): { total_swap: number; used_swap: number } {
  const bytes = (name: string) => {
    const [, figure, unit = ''] = new RegExp(`${name} = ([\\d.]+)([KMG]?)`).exec(text) ?? [];
    const factor = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[unit] ?? 1;
    return Math.round((Number(figure) || 0) * factor);
  };
  return { total_swap: bytes('total'), used_swap: bytes('used') };
}

/** The system's disk and those below `/Volumes`. The other volumes of the system share its space. */
export function parseDf(text: string): Disk[] {
  const disks: Disk[] = [];
  for (const line of text.split('\n')) {
    const [, name, total, available, mount_point] =
      /^\/dev\/(\S+)\s+(\d+)\s+\d+\s+(\d+)\s+\d+%\s+(\/.*)$/.exec(line) ?? [];
    if (!name || !mount_point || !/^\/($|Volumes\/)/.test(mount_point)) continue;
    disks.push({
      ...{ kind: 'Unknown', name, file_system: '', mount_point },
      total_space: counter(total) * 1024,
      available_space: counter(available) * 1024,
      ...{ is_removable: false, is_read_only: false, read_speed: 0, write_speed: 0 },
    });
  }
  return disks;
}

/** Bytes of each interface. Columns are counted from the end: the address may be absent. */
export function parseNetstat(text: string): Map<string, Traffic> {
  const traffic = new Map<string, Traffic>();
  for (const line of text.split('\n')) {
    const cells = line.trim().split(/\s+/);
    if (!cells[2]?.startsWith('<Link#') || cells.length < 10) continue;
    // A star marks an interface that is down.
    const name = (cells[0] ?? '').replace(/\*$/, '');
    traffic.set(name, { received: counter(cells.at(-5)), transmitted: counter(cells.at(-2)) });
  }
  return traffic;
}
