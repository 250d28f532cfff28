import { stat, statfs } from 'node:fs/promises';
import { type Clock, within } from '../clock.ts';
import type { Disk } from '../reports.ts';
import type { Machine } from './machine.ts';
import {
  asForTheSystem,
  type DiskTraffic,
  type Mount,
  parseMounts,
  reportedMounts,
} from './mounts.ts';
import { perSecond } from './numbers.ts';

/** A disk as it was last measured. `device` is its key in `/proc/diskstats`. */
export interface MeasuredDisk extends Omit<Disk, 'read_speed' | 'write_speed'> {
  device: string;
}

type Traits = Pick<MeasuredDisk, 'device' | 'kind' | 'is_removable'>;

const STATFS_LIMIT_MS = 1000;
// A dead network mount blocks a thread of Node's pool for ever. The pool has four: two must stay free.
const MAX_STUCK = 2;
const MAX_DISKS = 256;

/** The block device of a mount. btrfs and overlay report an anonymous device; there the source tells the real one. */
async function blockDevice({ device, source }: Mount): Promise<string> {
  if (!device.startsWith('0:') || !source.startsWith('/dev/')) return device;
  const found = await stat(source).catch(() => undefined);
  if (!found) return device;
  const major = (found.rdev >>> 8) & 0xfff;
  const minor = (found.rdev & 0xff) | ((found.rdev >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

async function readTraits(machine: Machine, mount: Mount): Promise<Traits> {
  const flag = (path: string) => machine.text(path);
  const device = await blockDevice(mount);
  // A partition has no `queue`; its disk has, which is `..` of the resolved link. `join` would remove the `..`.
  const base = `/sys/dev/block/${device}`;
  const rotational =
    (await flag(`${base}/queue/rotational`)) || (await flag(`${base}/../queue/rotational`));
  const removable = (await flag(`${base}/removable`)) || (await flag(`${base}/../removable`));
  const kind = rotational === '0' ? 'Ssd' : rotational === '1' ? 'Hdd' : 'Unknown';
  return { device, kind, is_removable: removable === '1' };
}

/** Measures the mounted disks of this machine. A mount that does not answer is left out after a second. */
export class DiskSurvey {
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #selected: readonly string[];
  readonly #stuck = new Set<string>();
  readonly #traits = new Map<string, Traits>();

  constructor(clock: Clock, machine: Machine, selected: readonly string[]) {
    this.#clock = clock;
    this.#machine = machine;
    this.#selected = selected;
  }

  async measure(): Promise<MeasuredDisk[]> {
    const own = parseMounts(await this.#machine.text('/proc/self/mountinfo'));
    // Another user's process may not be shown.
    const first = parseMounts(await this.#machine.text('/proc/1/mountinfo'));
    const mounts = reportedMounts(asForTheSystem(own, first), this.#selected).slice(0, MAX_DISKS);
    const disks: MeasuredDisk[] = [];
    for (const mount of mounts) {
      const space = await this.#space(mount.mount_point);
      if (!space || space.total_space === 0) continue;
      const { file_system, mount_point, is_read_only } = mount;
      const name = mount.source.replace(/^\/dev\//, '');
      const traits = await this.#traitsOf(mount);
      disks.push({ ...traits, ...space, name, file_system, mount_point, is_read_only });
    }
    return disks;
  }

  async #space(
    path: string,
  ): Promise<{ total_space: number; available_space: number } | undefined> {
    if (this.#stuck.has(path) || this.#stuck.size >= MAX_STUCK) return undefined;
    this.#stuck.add(path);
    const work = statfs(path)
      // A mount without permission to look at it is left out.
      .catch(() => undefined)
      .finally(() => this.#stuck.delete(path));
    const found = await within(this.#clock, 'statfs', STATFS_LIMIT_MS, work);
    if (!found) return undefined;
    const { bsize, blocks, bavail } = found;
    return { total_space: bsize * blocks, available_space: bsize * bavail };
  }

  async #traitsOf(mount: Mount): Promise<Traits> {
    const key = `${mount.device} ${mount.source}`;
    const known = this.#traits.get(key) ?? (await readTraits(this.#machine, mount));
    if (this.#traits.size > MAX_DISKS) this.#traits.clear();
    this.#traits.set(key, known);
    return known;
  }
}

/** The disks with their speeds between two readings of `/proc/diskstats`. */
export function withSpeeds(
  disks: readonly MeasuredDisk[],
  before: Map<string, DiskTraffic>,
  after: Map<string, DiskTraffic>,
  seconds: number,
): Disk[] {
  return disks.map(({ device, ...disk }) => {
    const earlier = before.get(device);
    const now = after.get(device);
    return {
      ...disk,
      read_speed: now ? perSecond(earlier?.read, now.read, seconds) : 0,
      write_speed: now ? perSecond(earlier?.written, now.written, seconds) : 0,
    };
  });
}
