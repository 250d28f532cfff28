import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Disk } from '../reports.ts';
import type { Machine } from './machine.ts';
import type { Mount } from './mounts.ts';

/** Facts that stay while a disk is mounted. `device` is its key in `/proc/diskstats`. */
export interface Traits extends Pick<Disk, 'name' | 'kind' | 'is_removable'> {
  device: string;
}

/** The block device of a mount. btrfs and overlay report an anonymous device; there the source tells the real one. */
async function blockDevice(machine: Machine, { device, source }: Mount): Promise<string> {
  if (!device.startsWith('0:') || !source.startsWith('/dev/')) return device;
  const found = await stat(machine.at(source)).catch(() => undefined);
  // Under a service manager the agent may have a `/dev` of its own, without disks.
  if (!found?.isBlockDevice()) {
    return (await machine.text(`/sys/class/block/${basename(source)}/dev`)) || device;
  }
  const major = (found.rdev >>> 8) & 0xfff;
  const minor = (found.rdev & 0xff) | ((found.rdev >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

/** Reads what `/sys` tells about the disk of a mount. The name is its path, as in `/dev/vda`, or the file system's source. */
export async function readTraits(machine: Machine, mount: Mount): Promise<Traits> {
  const device = await blockDevice(machine, mount);
  const base = `/sys/dev/block/${device}`;
  // A partition has no `queue`; its disk has, which is `..` of the resolved link.
  const either = async (file: string) =>
    (await machine.text(`${base}/${file}`)) || (await machine.text(`${base}/../${file}`));
  return {
    ...{ device, name: await nameOf(machine, mount, base) },
    kind: kindOf(device, await either('queue/rotational')),
    is_removable: (await either('removable')) === '1',
  };
}

/** `/dev/root` is what the kernel calls the disk that it started from. No such file is there. */
async function nameOf(machine: Machine, { source }: Mount, base: string): Promise<string> {
  if (source !== '/dev/root') return source;
  const name = /^DEVNAME=(.+)$/m.exec(await machine.text(`${base}/uevent`))?.[1];
  return name ? `/dev/${name}` : source;
}

const LOOP = '7:';

function kindOf(device: string, rotational: string): Disk['kind'] {
  // The file behind a loop device may lie on either.
  if (device.startsWith(LOOP) || rotational === '') return 'Unknown';
  return rotational === '0' ? 'Ssd' : 'Hdd';
}
