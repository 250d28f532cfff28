import { isAtOrBelow } from '../summary.ts';
import { counter } from './numbers.ts';

/** One line of `/proc/self/mountinfo`. */
export interface Mount {
  /** `major:minor` of the file system's device. */
  device: string;
  mount_point: string;
  file_system: string;
  /** Device path, or whatever the file system names as its source. */
  source: string;
  is_read_only: boolean;
}

/** Bytes read and written since boot. */
export interface DiskTraffic {
  read: number;
  written: number;
}

// File systems without storage of their own; everything else that has a size is a disk.
const PSEUDO = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl ' +
    'fuse.lxcfs hugetlbfs mqueue nsfs proc pstore ramfs rootfs rpc_pipefs securityfs selinuxfs ' +
    'sysfs tracefs'
  ).split(' '),
);

// A container host has hundreds of mounts here, all views of a disk that is listed already.
const RUNTIME_TREES = (
  '/dev /proc /run /sys /var/lib/containerd /var/lib/containers /var/lib/docker ' +
  '/var/lib/kubelet /var/lib/rancher'
).split(' ');

const decodeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

/** `/proc/self/mountinfo`; a later mount on the same point hides the earlier one. */
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
 * The mounts worth a line in the report: each device once (its first mount), pseudo file systems and the
 * trees of container runtimes left out, and always what the configuration selects.
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

/** `/proc/diskstats` by `major:minor`; its sectors are always 512 bytes. */
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
