import { type Clock, within } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Collector, Inventory, Sample } from '../reports.ts';
import { Carried } from './carried.ts';
import { type CpuTimes, cpuUsage, parseCpuTimes } from './cpu.ts';
import { cpuInventory, parseFrequencies } from './cpu-info.ts';
import { DiskSurvey, type MeasuredDisk, withSpeeds } from './disks.ts';
import { type GpuReading, readGpus } from './gpu.ts';
import { Machine } from './machine.ts';
import { parseMemory } from './memory.ts';
import { type DiskTraffic, parseDiskTraffic } from './mounts.ts';
import { interfaces, parseSockets, parseTraffic, type Traffic } from './network.ts';
import { counter } from './numbers.ts';
import { countProcesses } from './processes.ts';
import { type Asking, asking } from './room.ts';
import { Rooms } from './rooms.ts';
import { SlowFigure } from './slow-figure.ts';
import { systemInventory } from './system.ts';

/** Readings whose difference gives usage and speeds. */
interface Counters {
  at_ms: number;
  /** Unix seconds; another one after the clock was set. */
  boot_time: number;
  cpu: Map<string, CpuTimes>;
  disks: Map<string, DiskTraffic>;
  network: Map<string, Traffic>;
}

// A little less than 5 s and 10 s, so that they are due at a tick that comes some milliseconds early.
const SLOW_EVERY_MS = 4900;
const FREQUENCY_EVERY_MS = 9900;
const GPU_EVERY_MS = 14_900;
/** Time that a sample waits for the slow figures; then it uses the earlier ones. */
const PATIENCE_MS = 200;
/** Longest wait after a pause of more than 4 s, which is a twentieth of the pause: the earlier figures are as old as it. */
const LONGEST_PATIENCE_MS = 2000;

/** MHz by core number, from cpufreq where `/proc/cpuinfo` has none (Arm). */
async function readFrequencies(machine: Machine): Promise<Map<number, number>> {
  const mhz = parseFrequencies(await machine.text('/proc/cpuinfo'));
  if (mhz.size > 0) return mhz;
  const base = '/sys/devices/system/cpu/cpufreq';
  for (const policy of await machine.names(base)) {
    const read = (file: string) => machine.text(`${base}/${policy}/${file}`);
    const khz = counter(await read('scaling_cur_freq'));
    const cores = (await read('related_cpus')).split(/\s+/).filter(Boolean);
    for (const core of cores) mhz.set(Number(core), Math.round(khz / 1000));
  }
  return mhz;
}

const siblingsOf = (core: number) =>
  `/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`;

/** Members of a summary that come from the space of disks. */
const OF_DISKS = ['total_space', 'available_space', 'read_speed', 'write_speed'];

/** Sources of the collector; by default this machine. */
export interface Sources {
  machine: Machine;
  gpus: (machine: Machine) => Promise<GpuReading[]>;
  rooms: Asking;
}

/** Reads /proc and /sys. Speeds in the first sample are measured from the creation of the collector. */
export class LinuxCollector implements Collector {
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #processes: SlowFigure<number>;
  readonly #mhz: SlowFigure<Map<number, number>>;
  readonly #disks: SlowFigure<MeasuredDisk[]>;
  readonly #gpus: SlowFigure<GpuReading[]>;
  /** Something is mounted over `/proc/meminfo`. */
  readonly #hasOwnMemory: boolean;
  readonly #interfaces: Carried;
  #carried: ReadonlySet<string> = new Set();
  #unknown: ReadonlySet<string> = new Set();
  #last: Counters;

  constructor(
    clock: Clock,
    log: Logger,
    selectedDisks: readonly string[],
    { machine = new Machine(), gpus = readGpus, rooms = asking }: Partial<Sources> = {},
  ) {
    const survey = new DiskSurvey(machine, new Rooms(clock, log, rooms), selectedDisks);
    this.#clock = clock;
    this.#machine = machine;
    this.#processes = new SlowFigure({
      ...{ clock, log, name: 'process count', ttl_ms: SLOW_EVERY_MS },
      load: () => countProcesses(machine),
    });
    this.#mhz = new SlowFigure({
      ...{ clock, log, name: 'frequencies', ttl_ms: FREQUENCY_EVERY_MS },
      load: () => readFrequencies(machine),
    });
    this.#disks = new SlowFigure({
      ...{ clock, log, name: 'disks', ttl_ms: SLOW_EVERY_MS },
      load: () => survey.measure(),
    });
    this.#gpus = new SlowFigure({
      ...{ clock, log, name: 'graphics processors', ttl_ms: GPU_EVERY_MS },
      load: () => gpus(machine),
    });
    this.#hasOwnMemory = machine.textNow('/proc/self/mountinfo').includes(' /proc/meminfo ');
    this.#interfaces = new Carried(clock, machine);
    this.#last = this.#read();
  }

  /** Members of the latest sample that are not measured. */
  get unknown(): ReadonlySet<string> {
    return this.#unknown;
  }

  /** Interfaces of the latest sample whose traffic another one counts already. */
  get carried(): ReadonlySet<string> {
    return this.#carried;
  }

  async sample(): Promise<Sample> {
    await this.#refreshed();
    const before = this.#last;
    const now = this.#read();
    this.#last = now;
    const seconds = (now.at_ms - before.at_ms) / 1000;
    const proc = (name: string) => this.#machine.textNow(`/proc/${name}`);
    const [one, five, fifteen] = proc('loadavg')
      .split(' ')
      .map((text) => Number(text) || 0);
    const sockets = parseSockets({
      snmp: proc('net/snmp'),
      sockstat: proc('net/sockstat'),
      sockstat6: proc('net/sockstat6'),
    });
    const gpus = this.#gpus.value ?? [];
    this.#unknown = this.#unmeasured(sockets);
    this.#carried = this.#interfaces.among([...now.network.keys()]);
    return {
      cpu: cpuUsage(before.cpu, now.cpu, this.#mhz.value ?? new Map()),
      ram: parseMemory(proc('meminfo'), this.#arcStats()),
      load: { one: one ?? 0, five: five ?? 0, fifteen: fifteen ?? 0 },
      system: {
        boot_time: now.boot_time,
        uptime: counter(proc('uptime').split(' ')[0]),
        process_count: this.#processes.value ?? 0,
      },
      disk: withSpeeds(this.#disks.value ?? [], before.disks, now.disks, seconds),
      network: {
        interfaces: interfaces(before.network, now.network, seconds),
        udp_connections: sockets.udp ?? 0,
        tcp_connections: sockets.tcp ?? 0,
      },
      gpu: gpus.map(({ now: figures }, index) => ({ id: index + 1, ...figures })),
    };
  }

  /** Starts the readings that are due, and waits for them for a while. Most samples wait for none, and arm no timer. */
  async #refreshed(): Promise<void> {
    const figures = [this.#processes, this.#mhz, this.#disks, this.#gpus];
    const readings = figures.map((figure) => figure.refresh()).filter(Boolean);
    if (readings.length === 0) return;
    const paused_ms = this.#clock.steady() - this.#last.at_ms;
    const patience_ms = Math.min(Math.max(PATIENCE_MS, paused_ms / 20), LONGEST_PATIENCE_MS);
    await within(this.#clock, 'slow figures', patience_ms, Promise.all(readings));
  }

  #unmeasured(sockets: ReturnType<typeof parseSockets>): Set<string> {
    return new Set([
      ...(this.#processes.value === undefined ? ['process_count'] : []),
      ...(this.#disks.value === undefined ? OF_DISKS : []),
      ...(sockets.tcp === undefined ? ['tcp_connections'] : []),
      ...(sockets.udp === undefined ? ['udp_connections'] : []),
      ...(this.#gpus.value?.[0]?.tellsUsage === false ? ['gpu_usage'] : []),
    ]);
  }

  async inventory(): Promise<Inventory> {
    const cpuInfo = this.#machine.textNow('/proc/cpuinfo');
    const numbers = [...this.#last.cpu.keys()].filter((name) => name !== '').map(Number);
    const siblings = await Promise.all(
      numbers.map((number) => this.#machine.text(siblingsOf(number))),
    );
    await this.#gpus.refresh();
    const gpu = (this.#gpus.value ?? []).map(({ is }, index) => ({ id: index + 1, ...is }));
    return {
      cpu: cpuInventory(cpuInfo, { numbers, siblings }),
      system: await systemInventory(this.#machine, cpuInfo),
      gpu,
    };
  }

  /** Returns the figures of ZFS; empty in a container that has memory figures of its own: the cache is its host's. */
  #arcStats(): string {
    if (this.#hasOwnMemory || !this.#machine.has('/proc/spl')) return '';
    return this.#machine.textNow('/proc/spl/kstat/zfs/arcstats');
  }

  #read(): Counters {
    const proc = (name: string) => this.#machine.textNow(`/proc/${name}`);
    const stat = proc('stat');
    return {
      at_ms: this.#clock.steady(),
      boot_time: counter(/^btime (\d+)$/m.exec(stat)?.[1]),
      cpu: parseCpuTimes(stat),
      disks: parseDiskTraffic(proc('diskstats')),
      network: parseTraffic(proc('net/dev')),
    };
  }
}
