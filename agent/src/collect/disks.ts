import { poolOf } from '../file-systems.ts';
import type { Disk } from '../reports.ts';
import type { Machine } from './machine.ts';
import {
  asForTheSystem,
  type DiskTraffic,
  datasetsOf,
  farMounts,
  type Mount,
  mayHang,
  parseMounts,
  reportedMounts,
} from './mounts.ts';
import { perSecond } from './numbers.ts';
import type { Room } from './room.ts';
import type { Rooms } from './rooms.ts';
import { readTraits, type Traits } from './traits.ts';

/** A disk as it was last measured. `device` is its key in `/proc/diskstats`. */
export interface MeasuredDisk extends Omit<Disk, 'read_speed' | 'write_speed'> {
  device: string;
}

const MAX_DISKS = 256;

/** Room of a pool: what its datasets use, and what is free for all of them. Empty where none of them has answered. */
function roomOfPool(rooms: readonly Room[]): Room[] {
  if (rooms.length === 0) return [];
  const used_space = rooms.reduce((sum, room) => sum + room.used_space, 0);
  const available_space = Math.max(...rooms.map((room) => room.available_space));
  return [{ total_space: used_space + available_space, used_space, available_space }];
}

/** Measures the mounted disks of this machine: one for each device, and the mounts that are selected. */
export class DiskSurvey {
  readonly #machine: Machine;
  readonly #rooms: Rooms;
  readonly #selected: readonly string[];
  readonly #traits = new Map<string, Traits>();

  constructor(machine: Machine, rooms: Rooms, selected: readonly string[]) {
    this.#machine = machine;
    this.#rooms = rooms;
    this.#selected = selected;
  }

  async measure(): Promise<MeasuredDisk[]> {
    const mounts = await this.#mounts();
    const reported = reportedMounts(mounts, this.#selected).slice(0, MAX_DISKS);
    const parts = new Map(reported.map((mount) => [mount, this.#partsOf(mount, mounts)]));
    const far = farMounts(mounts);
    const asked = new Set([...parts.values()].flat());
    const rooms = await this.#rooms.of([...asked], (mount) => mayHang(mount, far));
    const disks: MeasuredDisk[] = [];
    for (const [mount, members] of parts) {
      const found = members.flatMap((member) => rooms.get(member) ?? []);
      const [room] = this.#isPool(mount) ? roomOfPool(found) : found;
      if (!room || room.total_space === 0) continue;
      const { file_system, mount_point, is_read_only } = mount;
      const traits = await this.#traitsOf(mount);
      disks.push({ ...traits, ...room, file_system, mount_point, is_read_only });
    }
    return disks;
  }

  /** A dataset that is selected is reported as it is; the one that stands for its pool is reported as the pool. */
  #isPool({ file_system, mount_point }: Mount): boolean {
    return file_system === 'zfs' && !this.#selected.includes(mount_point);
  }

  #partsOf(mount: Mount, mounts: readonly Mount[]): Mount[] {
    return this.#isPool(mount) ? datasetsOf(poolOf(mount.source), mounts) : [mount];
  }

  async #mounts(): Promise<Mount[]> {
    const own = await this.#machine.text('/proc/self/mountinfo');
    if (own === '') throw new Error('/proc/self/mountinfo cannot be read');
    // Another user's process may not be shown.
    const first = await this.#machine.text('/proc/1/mountinfo');
    return asForTheSystem(parseMounts(own), parseMounts(first));
  }

  async #traitsOf(mount: Mount): Promise<Traits> {
    const key = `${mount.device} ${mount.source}`;
    const traits = this.#traits.get(key) ?? (await readTraits(this.#machine, mount));
    if (this.#traits.size > MAX_DISKS) this.#traits.clear();
    this.#traits.set(key, traits);
    return this.#isPool(mount) ? { ...traits, name: poolOf(mount.source) } : traits;
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
