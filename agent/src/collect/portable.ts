import * as os from 'node:os';
import { parse } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Collector, Disk, Inventory, Sample } from '../reports.ts';
import { type CpuTimes, usageBetween } from './cpu.ts';
import { type DarwinFigures, readDarwin } from './darwin.ts';
import { interfaces } from './network.ts';
import { askKernel } from './room.ts';
import { SlowFigure } from './slow-figure.ts';

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

/** Members of a summary that no system but Linux tells at a low price. */
const NOWHERE = ['read_speed', 'write_speed', 'tcp_connections', 'udp_connections'];
/** Members that macOS gives in addition to what Node gives. */
const BY_PROGRAMS =
  'total_swap used_swap process_count total_received total_transmitted receive_speed transmit_speed'.split(
    ' ',
  );
const LOADS = ['load_one', 'load_five', 'load_fifteen'];

const PROGRAMS_EVERY_MS = 9900;

/**
 * Reads what Node tells on every system, and on macOS what its programs tell. What a system does not tell is left out of
 * summaries (`unknown`); in full reports, where the wire requires a number, it is 0, and lists are empty.
 */
export class PortableCollector implements Collector {
  readonly #clock: Clock;
  readonly #unknown: ReadonlySet<string>;
  /** Unix seconds. */
  #bootTime = 0;
  readonly #programs: SlowFigure<DarwinFigures[]> | undefined;
  #last = coreTimes();

  constructor(
    clock: Clock,
    log: Logger,
    platform: NodeJS.Platform = process.platform,
    readPrograms = readDarwin,
  ) {
    this.#clock = clock;
    this.#unknown = new Set([...NOWHERE, ...(platform === 'win32' ? LOADS : [])]);
    if (platform !== 'darwin') return;
    // The last two readings: speeds are their difference.
    this.#programs = new SlowFigure<DarwinFigures[]>({
      ...{ clock, log, name: 'figures of macOS', ttl_ms: PROGRAMS_EVERY_MS },
      load: async () => [
        ...(this.#programs?.value ?? []).slice(-1),
        await readPrograms(() => clock.steady()),
      ],
    });
  }

  /** Members of the latest sample that are not measured. */
  get unknown(): ReadonlySet<string> {
    return this.#programs?.value ? this.#unknown : new Set([...this.#unknown, ...BY_PROGRAMS]);
  }

  async sample(): Promise<Sample> {
    await this.#programs?.refresh();
    const [earlier, latest] = (this.#programs?.value ?? []).slice(-2);
    const figures = latest ?? earlier;
    const total = os.totalmem();
    const available = Math.min(total, figures?.ram.available_memory ?? os.freemem());
    const [one = 0, five = 0, fifteen = 0] = os.loadavg();
    return {
      cpu: this.#cpu(),
      ram: {
        ...{ total_memory: total, available_memory: available, used_memory: total - available },
        ...{ total_swap: figures?.ram.total_swap ?? 0, used_swap: figures?.ram.used_swap ?? 0 },
      },
      load: { one, five, fifteen },
      system: {
        boot_time: this.#bootedAt(),
        uptime: Math.floor(os.uptime()),
        process_count: figures?.process_count ?? 0,
      },
      disk: figures?.disks ?? (await ownDisk()),
      network: { interfaces: links(earlier, figures), udp_connections: 0, tcp_connections: 0 },
      gpu: [],
    };
  }

  /** The clock less the uptime: another time after the clock was set. A second more or less is rounding. */
  #bootedAt(): number {
    const booted = Math.round(this.#clock.now() / 1000 - os.uptime());
    if (Math.abs(booted - this.#bootTime) > 1) this.#bootTime = booted;
    return this.#bootTime;
  }

  #cpu(): Sample['cpu'] {
    const before = this.#last;
    const now = coreTimes();
    this.#last = now;
    return {
      per_core: os.cpus().map(({ speed }, index) => ({
        id: index + 1,
        cpu_usage: usageBetween(before[index], now[index]),
        frequency_mhz: speed,
      })),
      total_cpu_usage: usageBetween(sum(before), sum(now)),
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

function links(before: DarwinFigures | undefined, after: DarwinFigures | undefined) {
  if (!before || !after) return [];
  const seconds = (after.at_ms - before.at_ms) / 1000;
  return interfaces(before.traffic, after.traffic, seconds);
}

async function ownDisk(): Promise<Disk[]> {
  const mount_point = parse(process.cwd()).root;
  const room = await askKernel(mount_point).catch(() => undefined);
  if (!room) return [];
  return [
    {
      kind: 'Unknown',
      name: mount_point,
      file_system: '',
      mount_point,
      ...room,
      is_removable: false,
      is_read_only: false,
      read_speed: 0,
      write_speed: 0,
    },
  ];
}
