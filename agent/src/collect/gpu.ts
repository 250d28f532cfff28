import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Gpu, Inventory } from '../reports.ts';
import type { Machine } from './machine.ts';
import { counter } from './numbers.ts';
import { isPossible } from './sensors.ts';

/** One graphics processor: what it is, and its figures. Figures that it does not tell are 0: the wire requires them. */
export interface GpuReading {
  readonly is: Omit<Inventory['gpu'][number], 'id'>;
  /** Tells whether the driver reports how busy it is: `[N/A]` of a card that is shared is no 0 in summaries. */
  readonly tellsUsage: boolean;
  readonly now: Omit<Gpu, 'id'>;
}

const MIB = 2 ** 20;
const PROGRAM_LIMIT_MS = 5000;
const COLUMNS =
  'name,memory.used,memory.total,clocks.gr,clocks.sm,clocks.mem,clocks.video,utilization.gpu,utilization.memory,temperature.gpu';

const isPercent = (text = ''): boolean => /^\d/.test(text) && counter(text) <= 100;
const percent = (text = ''): number => (isPercent(text) ? counter(text) : 0);

/** °C of the wire; 0 for what cannot be. */
const temperature = (celsius: number): number =>
  isPossible(celsius) ? Math.max(0, Math.round(celsius)) : 0;

/** The lines of `nvidia-smi` for `COLUMNS`; memory in MiB, clocks in MHz. */
export function parseNvidia(text: string): GpuReading[] {
  const lines = text.split('\n').filter((line) => line.includes(','));
  return lines.map((line) => {
    const [name = '', used, total, graphics, sm, memory, video, busy, memoryBusy, celsius] = line
      .split(',')
      .map((cell) => cell.trim());
    return {
      is: { name, cuda_cores: 0, architecture: 'unknown' },
      tellsUsage: isPercent(busy),
      now: {
        used_memory: counter(used) * MIB,
        total_memory: counter(total) * MIB,
        graphics_clock_mhz: counter(graphics),
        sm_clock_mhz: counter(sm),
        memory_clock_mhz: counter(memory),
        video_clock_mhz: counter(video),
        utilization_gpu: percent(busy),
        utilization_memory: percent(memoryBusy),
        temperature: temperature(counter(celsius)),
      },
    };
  });
}

async function nvidia(machine: Machine): Promise<GpuReading[]> {
  // Without the driver the program would be looked for in vain at every reading.
  if (!machine.has('/proc/driver/nvidia/version')) return [];
  const args = [`--query-gpu=${COLUMNS}`, '--format=csv,noheader,nounits'];
  const { run } = await import('./run.ts');
  const stdout = await run('nvidia-smi', args, { timeout: PROGRAM_LIMIT_MS });
  return parseNvidia(stdout);
}

const AMD = '0x1002';

/** Cards of the driver `amdgpu` below `root`, which is `/sys/class/drm` on a machine. */
export async function amdGpus(root: string): Promise<GpuReading[]> {
  const names = await readdir(root).catch(() => []);
  const cards = names.filter((name) => /^card\d+$/.test(name)).sort();
  const found = await Promise.all(cards.map((card) => amdGpu(join(root, card, 'device'))));
  return found.filter((reading) => reading !== undefined);
}

async function amdGpu(device: string): Promise<GpuReading | undefined> {
  const read = (file: string) =>
    readFile(join(device, file), 'latin1').then(
      (text) => text.trim(),
      () => '',
    );
  const driver = await readlink(join(device, 'driver')).catch(() => '');
  if ((await read('vendor')) !== AMD || basename(driver) !== 'amdgpu') return undefined;
  // A look at a card that sleeps would wake it.
  const sleeps = (await read('power/runtime_status')) === 'suspended';
  const text = async (file: string) => (sleeps ? '0' : await read(file));
  const figure = async (file: string) => counter((await text(file)) || '0');
  const [hwmon = ''] = await readdir(join(device, 'hwmon')).catch(() => []);
  const sensor = (file: string) => figure(`hwmon/${hwmon}/${file}`);
  const clock = Math.round((await sensor('freq1_input')) / 1e6);
  const name = (await read('product_name')) || `AMD ${await read('device')}`;
  return {
    is: { name, cuda_cores: 0, architecture: 'unknown' },
    // One that sleeps does nothing.
    tellsUsage: sleeps || isPercent(await read('gpu_busy_percent')),
    now: {
      used_memory: await figure('mem_info_vram_used'),
      total_memory: counter(await read('mem_info_vram_total')),
      graphics_clock_mhz: clock,
      sm_clock_mhz: clock,
      memory_clock_mhz: Math.round((await sensor('freq2_input')) / 1e6),
      video_clock_mhz: 0,
      utilization_gpu: percent(await text('gpu_busy_percent')),
      utilization_memory: percent(await text('mem_busy_percent')),
      temperature: temperature((await sensor('temp1_input')) / 1000),
    },
  };
}

/** The graphics processors of this machine whose drivers tell figures: NVIDIA and AMD. */
export async function readGpus(machine: Machine): Promise<GpuReading[]> {
  return [...(await nvidia(machine)), ...(await amdGpus(machine.at('/sys/class/drm')))];
}
