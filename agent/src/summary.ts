import { isFuse, isNetwork, poolOf } from './file-systems.ts';
import type { Disk, Interface, Sample } from './reports.ts';

/**
 * The disks and interfaces that the sums count. An empty list stands for the built-in rules: those of monitoring-data.md §5.1,
 * and beyond them no network and FUSE file systems, and no interface of `carried`.
 */
export interface Selection {
  disks: readonly string[];
  interfaces: readonly string[];
  /** Interfaces whose traffic another one counts already. */
  carried?: ReadonlySet<string> | undefined;
}

/** Member values of a summary report: integers (a bigint beyond 2^53), or null for "no value". */
export type Summary = Record<string, number | bigint | null>;

const EXCLUDED_MOUNTS = [
  '/tmp',
  '/var/tmp',
  '/dev',
  '/run',
  '/var/lib/containerd',
  '/var/lib/containers',
  '/var/lib/docker',
  '/var/lib/kubelet/plugins',
  '/var/lib/kubelet/plugins_registry',
  '/var/lib/kubelet/pods',
  '/var/lib/rancher/k3s/agent/containerd',
  '/var/lib/rancher/k3s/agent/kubelet/plugins',
  '/var/lib/rancher/k3s/agent/kubelet/plugins_registry',
  '/var/lib/rancher/k3s/agent/kubelet/pods',
  '/proc',
  '/sys',
  '/sys/fs/cgroup',
  '/etc/resolv.conf',
  '/etc/host',
  '/etc/hostname',
  '/etc/hosts',
  '/nix/store',
];

const EXCLUDED_FILE_SYSTEMS = new Set(
  (
    'autofs bpf cgroup cgroup2 debugfs devtmpfs fusectl nsfs overlay proc pstore ' +
    'securityfs squashfs sysfs tmpfs tracefs'
  ).split(' '),
);

const EXCLUDED_INTERFACES =
  'br cni docker podman flannel lo veth virbr vmbr tap fwbr fwpr fwln'.split(' ');

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;

/** Tells whether `path` is `base` or lies below it. */
export const isAtOrBelow = (path: string, base: string): boolean =>
  path === base || path.startsWith(`${base}/`);

/** Tells whether a mount point is one of the system or of a container runtime: it is counted only when it is selected. */
export const isSystemMount = (path: string): boolean =>
  EXCLUDED_MOUNTS.some((base) => isAtOrBelow(path, base));

const asciiLower = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function countsDisk(disk: Disk, selected: readonly string[]): boolean {
  if (selected.length > 0) return selected.includes(disk.mount_point);
  if (EXCLUDED_FILE_SYSTEMS.has(asciiLower(disk.file_system))) return false;
  if (isFuse(disk.file_system)) return false;
  // A machine without a disk has its system on the network.
  if (isNetwork(disk.file_system) && disk.mount_point !== '/') return false;
  return !isSystemMount(disk.mount_point);
}

/** Tells whether the name of an interface says that it is local, or one of a host of containers. */
export const isVirtualName = (name: string): boolean =>
  EXCLUDED_INTERFACES.some((prefix) => name.startsWith(prefix));

function countsInterface({ interface_name }: Interface, selection: Selection): boolean {
  const { interfaces, carried } = selection;
  if (interfaces.length > 0) return interfaces.includes(interface_name);
  return !isVirtualName(interface_name) && !carried?.has(interface_name);
}

/**
 * Disks that the sums of space add up. The file systems of a ZFS pool share what is free, so that counts once: a pool holds what
 * its file systems use and what is free.
 */
function spaceOf(disks: readonly Disk[]): { total: number[]; available: number[] } {
  const isZfs = ({ file_system }: Disk) => file_system === 'zfs';
  const others = disks.filter((disk) => !isZfs(disk));
  const free = new Map<string, number>();
  const used: number[] = [];
  for (const { name, total_space, available_space } of disks.filter(isZfs)) {
    free.set(poolOf(name), Math.max(free.get(poolOf(name)) ?? 0, available_space));
    used.push(Math.max(0, total_space - available_space));
  }
  return {
    total: [...others.map(({ total_space }) => total_space), ...used, ...free.values()],
    available: [...others.map(({ available_space }) => available_space), ...free.values()],
  };
}

function tenfold(value: number, min: number, max: number): number | null {
  if (!Number.isFinite(value)) return null;
  // `+ 0` turns -0, which a small negative value gives, into 0.
  return Math.trunc(Math.min(max, Math.max(min, value * 10))) + 0;
}

const int32 = (value: number): number => Math.min(value, INT32_MAX);

function int64(...values: readonly number[]): number | bigint {
  const plain = values.reduce((sum, value) => sum + value, 0);
  if (Number.isSafeInteger(plain)) return plain;
  const exact = values.reduce((sum, value) => sum + BigInt(Math.trunc(value)), 0n);
  return exact > INT64_MAX ? INT64_MAX : exact;
}

/**
 * The summary of one sample, by the rules of monitoring-data.md §5.1. Members in `unknown` are null: a 0 there would be a
 * figure that was not measured.
 */
export function deriveSummary(
  sample: Sample,
  selection: Selection,
  unknown: ReadonlySet<string> = new Set(),
): Summary {
  const summary = summaryOf(sample, selection);
  for (const key of unknown) summary[key] = null;
  return summary;
}

function summaryOf(sample: Sample, selection: Selection): Summary {
  const { cpu, ram, load, system, network, gpu } = sample;
  const disks = sample.disk.filter((disk) => countsDisk(disk, selection.disks));
  const space = spaceOf(disks);
  const links = network.interfaces.filter((link) => countsInterface(link, selection));
  return {
    cpu_usage: tenfold(cpu.total_cpu_usage, 0, 1000),
    gpu_usage: gpu[0]?.utilization_gpu ?? null,
    used_swap: int64(ram.used_swap),
    total_swap: int64(ram.total_swap),
    used_memory: int64(ram.used_memory),
    total_memory: int64(ram.total_memory),
    available_memory: int64(ram.available_memory),
    load_one: tenfold(load.one, -32768, 32767),
    load_five: tenfold(load.five, -32768, 32767),
    load_fifteen: tenfold(load.fifteen, -32768, 32767),
    uptime: int32(system.uptime),
    boot_time: int64(system.boot_time),
    process_count: int32(system.process_count),
    total_space: int64(...space.total),
    available_space: int64(...space.available),
    read_speed: int64(...disks.map((disk) => disk.read_speed)),
    write_speed: int64(...disks.map((disk) => disk.write_speed)),
    tcp_connections: int32(network.tcp_connections),
    udp_connections: int32(network.udp_connections),
    total_received: int64(...links.map((link) => link.total_received)),
    total_transmitted: int64(...links.map((link) => link.total_transmitted)),
    transmit_speed: int64(...links.map((link) => link.transmit_speed)),
    receive_speed: int64(...links.map((link) => link.receive_speed)),
  };
}

/** The summary as JSON. `JSON.stringify` refuses a bigint, which a saturated sum is. */
export function summaryJson(head: { uuid: string; time: number }, summary: Summary): string {
  const members = Object.entries({ ...head, ...summary }).map(
    ([key, value]) => `"${key}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
