import { statfs } from 'node:fs/promises';
import * as os from 'node:os';
import { parse } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Collector, Disk, Inventory, Sample } from '../reports.ts';
import { type CpuTimes, usageBetween } from './cpu.ts';

function coreTimes(): CpuTimes[] {
  return os.cpus().map(({ times }) => {
    const total = times.user + times.nice + times.sys + times.idle + times.irq;
    return { busy: total - times.idle, total };
  });
}

function sum(cores: readonly CpuTimes[]): CpuTimes {
  const add = (of: (core: CpuTimes) => number) =>
    cores.reduce((total, core) => total + of(core), 0);
  return { busy: add((core) => core.busy), total: add((core) => core.total) };
}

/**
 * Reads the figures that Node gives on every system. Swap, process count, connections, traffic and disk speeds are 0,
 * and the only disk is the one that the agent runs on.
 */
export class PortableCollector implements Collector {
  readonly #bootTime: number;
  #last = coreTimes();

  constructor(clock: Clock) {
    this.#bootTime = Math.round(clock.now() / 1000 - os.uptime());
  }

  async sample(): Promise<Sample> {
    const before = this.#last;
    const now = coreTimes();
    this.#last = now;
    const [one = 0, five = 0, fifteen = 0] = os.loadavg();
    const total = os.totalmem();
    const available = os.freemem();
    return {
      cpu: {
        per_core: os.cpus().map(({ speed }, index) => ({
          id: index + 1,
          cpu_usage: usageBetween(before[index], now[index]),
          frequency_mhz: speed,
        })),
        total_cpu_usage: usageBetween(sum(before), sum(now)),
      },
      ram: {
        total_memory: total,
        available_memory: available,
        used_memory: total - available,
        total_swap: 0,
        used_swap: 0,
      },
      load: { one, five, fifteen },
      system: {
        boot_time: this.#bootTime,
        uptime: Math.floor(os.uptime()),
        process_count: 0,
      },
      disk: await ownDisk(),
      network: { interfaces: [], udp_connections: 0, tcp_connections: 0 },
      gpu: [],
    };
  }

  async inventory(): Promise<Inventory> {
    const cores = os.cpus();
    return {
      cpu: {
        physical_cores: 0,
        logical_cores: cores.length,
        per_core: cores.map(({ model }, index) => ({
          id: index + 1,
          name: `cpu${index}`,
          vendor_id: '',
          brand: model.trim(),
        })),
      },
      system: {
        system_name: os.type(),
        system_kernel: os.release(),
        system_kernel_version: os.version(),
        system_os_version: os.release(),
        system_os_long_version: os.version(),
        distribution_id: os.platform(),
        system_host_name: os.hostname(),
        arch: os.machine() || os.arch(),
        virtualization: os.platform() === 'win32' ? 'Unknown' : 'Physical',
      },
      gpu: [],
    };
  }
}

async function ownDisk(): Promise<Disk[]> {
  const mount_point = parse(process.cwd()).root;
  const space = await statfs(mount_point).catch(() => undefined);
  if (!space) return [];
  return [
    {
      kind: 'Unknown',
      name: mount_point,
      file_system: '',
      mount_point,
      total_space: space.bsize * space.blocks,
      available_space: space.bsize * space.bavail,
      is_removable: false,
      is_read_only: false,
      read_speed: 0,
      write_speed: 0,
    },
  ];
}
