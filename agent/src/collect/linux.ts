import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { type Clock, within } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Collector, Inventory, Sample } from '../reports.ts';
import { type CpuTimes, cpuInventory, cpuUsage, parseCpuTimes, parseFrequencies } from './cpu.ts';
import { DiskSurvey, type MeasuredDisk, withSpeeds } from './disks.ts';
import { type GpuReading, readGpus } from './gpu.ts';
import { parseMemory } from './memory.ts';
import { type DiskTraffic, parseDiskTraffic } from './mounts.ts';
import { interfaces, parseSockets, parseTraffic, type Traffic } from './network.ts';
import { counter } from './numbers.ts';
import { SlowFigure } from './slow-figure.ts';
import { systemInventory } from './system.ts';

// The kernel makes the files of /proc in memory, so reading them does not wait for a disk. A synchronous read takes a
// tenth of the time of an asynchronous one, which needs the thread pool four times.
function proc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'latin1');
  } catch {
    // Containers and old kernels lack some of these files. The figures from them are then 0.
    return '';
  }
}

/** Readings whose difference gives usage and speeds. */
interface Counters {
  at_ms: number;
  cpu: Map<string, CpuTimes>;
  disks: Map<string, DiskTraffic>;
  network: Map<string, Traffic>;
}

// A little less than 5 s and 10 s, so that they are due at a tick that comes some milliseconds early.
const SLOW_EVERY_MS = 4900;
const FREQUENCY_EVERY_MS = 9900;
const GPU_EVERY_MS = 14_900;
/** A sample waits this long for the slow figures, then it uses the earlier ones. */
const PATIENCE_MS = 200;

async function countProcesses(): Promise<number> {
  const names = await readdir('/proc');
  return names.filter((name) => /^\d+$/.test(name)).length;
}

/** MHz by core number, from cpufreq where `/proc/cpuinfo` has none (Arm). */
async function readFrequencies(): Promise<Map<number, number>> {
  const mhz = parseFrequencies(await readFile('/proc/cpuinfo', 'latin1'));
  if (mhz.size > 0) return mhz;
  const base = '/sys/devices/system/cpu/cpufreq';
  const policies = await readdir(base).catch(() => []);
  for (const policy of policies) {
    const read = (file: string) => readFile(`${base}/${policy}/${file}`, 'latin1').catch(() => '');
    const khz = counter(await read('scaling_cur_freq'));
    const cores = (await read('related_cpus')).split(/\s+/).filter(Boolean);
    for (const core of cores) mhz.set(Number(core), Math.round(khz / 1000));
  }
  return mhz;
}

/** Containers without a network of their own lack these figures. */
const WITHOUT: ReadonlySet<string> = new Set(
  proc('net/sockstat') === '' ? ['tcp_connections', 'udp_connections'] : [],
);
const WITHOUT_GPU: ReadonlySet<string> = new Set([...WITHOUT, 'gpu_usage']);

/** Reads /proc and /sys. Speeds in the first sample are measured from the creation of the collector. */
export class LinuxCollector implements Collector {
  readonly #clock: Clock;
  readonly #processes: SlowFigure<number>;
  readonly #mhz: SlowFigure<Map<number, number>>;
  readonly #disks: SlowFigure<MeasuredDisk[]>;
  readonly #gpus: SlowFigure<GpuReading[]>;
  readonly #bootTime = counter(/^btime (\d+)$/m.exec(proc('stat'))?.[1]);
  #last: Counters;

  constructor(clock: Clock, log: Logger, selectedDisks: readonly string[], gpus = readGpus) {
    const survey = new DiskSurvey(clock, selectedDisks);
    this.#clock = clock;
    this.#processes = new SlowFigure({
      ...{ clock, log, name: 'process count', ttl_ms: SLOW_EVERY_MS },
      initial: 0,
      load: countProcesses,
    });
    this.#mhz = new SlowFigure({
      ...{ clock, log, name: 'frequencies', ttl_ms: FREQUENCY_EVERY_MS },
      initial: new Map<number, number>(),
      load: readFrequencies,
    });
    this.#disks = new SlowFigure({
      ...{ clock, log, name: 'disks', ttl_ms: SLOW_EVERY_MS },
      initial: [] as MeasuredDisk[],
      load: () => survey.measure(),
    });
    this.#gpus = new SlowFigure({
      ...{ clock, log, name: 'graphics processors', ttl_ms: GPU_EVERY_MS },
      initial: [] as GpuReading[],
      load: gpus,
    });
    this.#last = this.#read();
  }

  /** Members of a summary that stay null. */
  get unknown(): ReadonlySet<string> {
    const [first] = this.#gpus.value;
    return first?.tellsUsage === false ? WITHOUT_GPU : WITHOUT;
  }

  async sample(): Promise<Sample> {
    const slow = [this.#processes, this.#mhz, this.#disks, this.#gpus];
    const refreshing = Promise.all(slow.map((figure) => figure.refresh()));
    await within(this.#clock, 'slow figures', PATIENCE_MS, refreshing);
    const before = this.#last;
    const now = this.#read();
    this.#last = now;
    const seconds = (now.at_ms - before.at_ms) / 1000;
    const [one, five, fifteen] = proc('loadavg')
      .split(' ')
      .map((text) => Number(text) || 0);
    const sockets = parseSockets(proc('net/sockstat'), proc('net/sockstat6'));
    return {
      cpu: cpuUsage(before.cpu, now.cpu, this.#mhz.value),
      ram: parseMemory(proc('meminfo')),
      load: { one: one ?? 0, five: five ?? 0, fifteen: fifteen ?? 0 },
      system: {
        boot_time: this.#bootTime,
        uptime: counter(proc('uptime').split(' ')[0]),
        process_count: this.#processes.value,
      },
      disk: withSpeeds(this.#disks.value, before.disks, now.disks, seconds),
      network: {
        interfaces: interfaces(before.network, now.network, seconds),
        udp_connections: sockets.udp,
        tcp_connections: sockets.tcp,
      },
      gpu: this.#gpus.value.map(({ now: figures }, index) => ({ id: index + 1, ...figures })),
    };
  }

  async inventory(): Promise<Inventory> {
    const cpuInfo = proc('cpuinfo');
    await this.#gpus.refresh();
    const gpu = this.#gpus.value.map(({ is }, index) => ({ id: index + 1, ...is }));
    return { cpu: cpuInventory(cpuInfo), system: await systemInventory(cpuInfo), gpu };
  }

  #read(): Counters {
    return {
      at_ms: this.#clock.steady(),
      cpu: parseCpuTimes(proc('stat')),
      disks: parseDiskTraffic(proc('diskstats')),
      network: parseTraffic(proc('net/dev')),
    };
  }
}
