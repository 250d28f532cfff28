import { isAtOrBelow } from '../summary.ts';
import { counter } from './numbers.ts';

/** One line of `/proc/self/mountinfo`. */
export interface Mount {
  /** `major:minor` of the file system's device. */
  device: string;
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

/** Reads `/proc/self/mountinfo`. A later mount hides an earlier one on the same point. */
export function parseMounts(text: string): Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [head = '', tail = ''] = line.split(' - ', 2);
    const [, , device, , point, options] = head.split(' ');
    const [file_system, source, superOptions = ''] = tail.split(' ');
    if (!device || !point || !options || !file_system || !source) continue;
    const flags = [...options.split(','), ...superOptions.split(',')];
    const mount_point = decodeOctal(point);
    mounts.delete(mount_point);
    mounts.set(mount_point, {
      device,
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
 * The mounts that are reported: those that the configuration selects, and the first mount of each device, except
 * pseudo file systems and mounts of container runtimes.
 */
export function reportedMounts(mounts: readonly Mount[], selected: readonly string[]): Mount[] {
  const seen = new Set<string>();
  return mounts.filter((mount) => {
    const first = !mount.source.startsWith('/dev/') || !seen.has(mount.source);
    if (selected.includes(mount.mount_point)) return true;
    if (!first || PSEUDO.has(mount.file_system)) return false;
    if (RUNTIME_TREES.some((tree) => isAtOrBelow(mount.mount_point, tree))) return false;
    seen.add(mount.source);
    return true;
  });
}

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
