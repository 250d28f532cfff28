import { isFuse, isNetwork, poolOf } from '../file-systems.ts';
import { isAtOrBelow, isSystemMount } from '../summary.ts';
import { counter } from './numbers.ts';

/** One line of `/proc/self/mountinfo`. */
export interface Mount {
  /** `major:minor` of the file system's device. */
  device: string;
  /** Folder of the file system that is mounted: `/`, or another one with bind mounts and subvolumes. */
  root: string;
  mount_point: string;
  file_system: string;
  /** Path of the device, or another name that the file system gives as its source. */
  source: string;
  is_read_only: boolean;
}

/** Bytes read and written since boot. */
export interface DiskTraffic {
  read: number;
  written: number;
}

// File systems that store nothing. Every other file system with a size is a disk.
const PSEUDO = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl ' +
    'fuse.lxcfs hugetlbfs mqueue nsfs proc pstore ramfs rootfs rpc_pipefs securityfs selinuxfs ' +
    'sysfs tracefs'
  ).split(' '),
);

// A container host has hundreds of mounts below these. All of them show a disk that is reported already.
const RUNTIME_TREES = (
  '/dev /proc /run /sys /var/lib/containerd /var/lib/containers /var/lib/docker ' +
  '/var/lib/kubelet /var/lib/rancher'
).split(' ');

const decodeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

const MOST_DATASETS = 256;

/** Reads `/proc/self/mountinfo`. A later mount hides an earlier one on the same point. */
export function parseMounts(text: string): Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [head = '', tail = ''] = line.split(' - ', 2);
    const [, , device, root, point, options] = head.split(' ');
    const [file_system, source, superOptions = ''] = tail.split(' ');
    if (!device || !root || !point || !options || !file_system || !source) continue;
    const flags = [...options.split(','), ...superOptions.split(',')];
    const mount_point = decodeOctal(point);
    mounts.delete(mount_point);
    mounts.set(mount_point, {
      device,
      root,
      mount_point,
      file_system,
      source: decodeOctal(source),
      is_read_only: flags.includes('ro'),
    });
  }
  return [...mounts.values()];
}

/**
 * The mounts with the flag that they have for the first process. A service manager shows the system read-only to this
 * process (`ProtectSystem` of systemd), which says nothing about the disk.
 */
export function asForTheSystem(mounts: readonly Mount[], first: readonly Mount[]): Mount[] {
  const key = ({ device, mount_point }: Mount) => `${device} ${mount_point}`;
  const writable = new Set(first.filter((mount) => !mount.is_read_only).map(key));
  return mounts.map((mount) => ({
    ...mount,
    is_read_only: mount.is_read_only && !writable.has(key(mount)),
  }));
}

/**
 * The device that holds a mount's data: two mounts of one device share its room. Each dataset of ZFS and each subvolume
 * of btrfs has a number of its own, so there the pool and the source tell it.
 */
export function storeOf({ device, file_system, source }: Mount): string {
  if (file_system === 'zfs') return `pool ${poolOf(source)}`;
  return file_system === 'btrfs' ? source : device;
}

function isReported({ file_system, mount_point, is_read_only }: Mount): boolean {
  if (PSEUDO.has(file_system)) return false;
  // Service managers hide folders behind those.
  if (file_system === 'tmpfs' && is_read_only) return false;
  return !RUNTIME_TREES.some((tree) => isAtOrBelow(mount_point, tree));
}

/**
 * Returns the rank of a mount among those of its device; the least one is reported. Whole file systems come before bind
 * mounts.
 */
function rank(mount: Mount, selected: readonly string[]): number {
  if (selected.includes(mount.mount_point)) return 0;
  if (mount.mount_point === '/') return 1;
  if (isSystemMount(mount.mount_point)) return 5;
  if (mount.root !== '/') return 4;
  return mount.file_system === 'zfs' && mount.source.includes('/') ? 3 : 2;
}

/**
 * The mounts that are reported: those that the configuration selects, and one for each device, except pseudo file systems
 * and mounts of container runtimes.
 */
export function reportedMounts(mounts: readonly Mount[], selected: readonly string[]): Mount[] {
  const isSelected = ({ mount_point }: Mount) => selected.includes(mount_point);
  const best = new Map<string, Mount>();
  for (const mount of mounts) {
    if (!isSelected(mount) && !isReported(mount)) continue;
    const earlier = best.get(storeOf(mount));
    if (!earlier || rank(mount, selected) < rank(earlier, selected)) {
      best.set(storeOf(mount), mount);
    }
  }
  const shown = new Set(best.values());
  return mounts.filter((mount) => shown.has(mount) || isSelected(mount));
}

/**
 * The mounted datasets of a pool, each by one of its mounts, at most 256. Snapshots and the layers of container runtimes, which
 * are clones, are none: they tell as used what the dataset below them tells, too.
 */
export function datasetsOf(pool: string, mounts: readonly Mount[]): Mount[] {
  const datasets = new Map<string, Mount>();
  for (const mount of mounts) {
    if (mount.file_system !== 'zfs' || poolOf(mount.source) !== pool) continue;
    if (mount.source.includes('@') || !isReported(mount)) continue;
    const isBind = mount.root !== '/';
    if (!isBind || !datasets.has(mount.device)) datasets.set(mount.device, mount);
  }
  return [...datasets.values()].slice(0, MOST_DATASETS);
}

/** The mounts that another machine or a program serves. */
export const farMounts = (mounts: readonly Mount[]): Mount[] =>
  mounts.filter(({ file_system }) => isNetwork(file_system) || isFuse(file_system));

/** Tells whether a mount may never answer: it is one of `far`, or the way to it leads through one. */
export const mayHang = (mount: Mount, far: readonly Mount[]): boolean =>
  far.some((one) => isAtOrBelow(mount.mount_point, one.mount_point));

/** Reads `/proc/diskstats`, by `major:minor`. A sector in this file has 512 bytes. */
export function parseDiskTraffic(text: string): Map<string, DiskTraffic> {
  const traffic = new Map<string, DiskTraffic>();
  for (const line of text.split('\n')) {
    const [major, minor, , , , read, , , , written] = line.trim().split(/\s+/);
    if (minor === undefined) continue;
    const bytes = (sectors: string | undefined) => counter(sectors) * 512;
    traffic.set(`${major}:${minor}`, { read: bytes(read), written: bytes(written) });
  }
  return traffic;
}
