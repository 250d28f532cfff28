/** What the agent program derives from a sample: monitoring-data.md §5.1 and §6.1. */

import * as assert from 'uvu/assert';
import type { Disk, Gpu, Interface, Sample } from '../agent/src/reports.ts';
import { canonicalJson, staticHash } from '../agent/src/static-hash.ts';
import { deriveSummary, summaryJson } from '../agent/src/summary.ts';
import { AGENT } from './agent-program-kit.ts';
import { INVENTORY, SAMPLE } from './agent-program-samples.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: summary and hash');

const NO_SELECTION = { disks: [], interfaces: [] };

/** The chapter's sample with one member replaced; `path` is written like `ram.total_memory`. */
function sampleWith(path: string, value: unknown): Sample {
  const sample = structuredClone(SAMPLE);
  const names = path.split('.');
  const last = names.pop()!;
  const holder = names.reduce<any>((object, name) => object[name], sample);
  holder[last] = value;
  return sample;
}

const derive = (path: string, value: unknown) =>
  deriveSummary(sampleWith(path, value), NO_SELECTION);

const INT32_MAX = 2147483647;
const INT64_MAX = 9223372036854775807n;
const gpu = (utilization_gpu: number) => ({ utilization_gpu }) as Gpu;

type Row = [field: string, path: string, value: unknown, expected: number | bigint | null];

const PERCENTS: [number, number | null][] = [
  [0, 0],
  [17.25, 172],
  [53.4, 534],
  [99.95, 999],
  [100, 1000],
  [150, 1000],
  [-5, 0],
  [-0.01, 0],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
  [Number.NEGATIVE_INFINITY, null],
];

const LOADS: [number, number | null][] = [
  [1.5, 15],
  [0.31, 3],
  [0.09, 0],
  [-0.05, 0],
  [-1.57, -15],
  [3276.7, 32767],
  [3276.8, 32767],
  [99999, 32767],
  [-3276.9, -32768],
  [-99999, -32768],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
];

const VALUES: Row[] = [
  ...PERCENTS.map(
    ([value, expected]): Row => ['cpu_usage', 'cpu.total_cpu_usage', value, expected],
  ),
  ...LOADS.map(([value, expected]): Row => ['load_one', 'load.one', value, expected]),
  ...LOADS.map(([value, expected]): Row => ['load_five', 'load.five', value, expected]),
  ...LOADS.map(([value, expected]): Row => ['load_fifteen', 'load.fifteen', value, expected]),
  ['gpu_usage', 'gpu', [], null],
  ['gpu_usage', 'gpu', [gpu(34), gpu(99)], 34],
  ['gpu_usage', 'gpu', [gpu(0)], 0],
  ['used_memory', 'ram.used_memory', 1073741824, 1073741824],
  ['total_memory', 'ram.total_memory', 2 ** 64, INT64_MAX],
  ['available_memory', 'ram.available_memory', 2 ** 63, INT64_MAX],
  ['available_memory', 'ram.available_memory', 2 ** 62, 2n ** 62n],
  ['used_swap', 'ram.used_swap', 2 ** 63, INT64_MAX],
  ['total_swap', 'ram.total_swap', 2 ** 63, INT64_MAX],
  ['boot_time', 'system.boot_time', 1780900000, 1780900000],
  ['boot_time', 'system.boot_time', 2 ** 63, INT64_MAX],
  ['uptime', 'system.uptime', 100001, 100001],
  ['uptime', 'system.uptime', 2 ** 31 - 1, INT32_MAX],
  ['uptime', 'system.uptime', 2 ** 31, INT32_MAX],
  ['process_count', 'system.process_count', 2 ** 40, INT32_MAX],
  ['tcp_connections', 'network.tcp_connections', 2 ** 31, INT32_MAX],
  ['tcp_connections', 'network.tcp_connections', 23, 23],
  ['udp_connections', 'network.udp_connections', 2 ** 31, INT32_MAX],
  ['udp_connections', 'network.udp_connections', 4, 4],
];

for (const [field, path, value, expected] of VALUES) {
  const shown = typeof value === 'object' ? JSON.stringify(value) : value;
  test(`derives ${field} ${expected} from ${path} ${shown}`, () => {
    assert.is(derive(path, value)[field], expected);
  });
}

const MIB = 1048576;
const disk = (mount_point: string, file_system = 'ext4'): Disk => ({
  ...SAMPLE.disk[0]!,
  mount_point,
  file_system,
  total_space: 10 * MIB,
  available_space: 4 * MIB,
  read_speed: 5,
  write_speed: 7,
});

// [mount point, file system, counted]
const DISKS: [string, string, boolean][] = [
  ['/', 'ext4', true],
  ['/home', 'xfs', true],
  ['/runner', 'ext4', true],
  ['/tmpfiles', 'ext4', true],
  ['/etc/hosts.d', 'ext4', true],
  ['/var/lib/kubelet', 'ext4', true],
  ['/var/lib/rancher', 'ext4', true],
  ['/nix', 'ext4', true],
  ['C:\\', 'NTFS', true],
  ...(
    '/tmp /var/tmp /dev /run /var/lib/containerd /var/lib/containers /var/lib/docker ' +
    '/var/lib/kubelet/plugins /var/lib/kubelet/plugins_registry /var/lib/kubelet/pods ' +
    '/var/lib/rancher/k3s/agent/containerd /var/lib/rancher/k3s/agent/kubelet/plugins ' +
    '/var/lib/rancher/k3s/agent/kubelet/plugins_registry ' +
    '/var/lib/rancher/k3s/agent/kubelet/pods /proc /sys /sys/fs/cgroup /etc/resolv.conf ' +
    '/etc/host /etc/hostname /etc/hosts /nix/store'
  )
    .split(' ')
    .flatMap((base): [string, string, boolean][] => [
      [base, 'ext4', false],
      [`${base}/x`, 'ext4', false],
      // Not below this one, although the text begins the same; still below /sys in one case.
      [`${base}-x/y`, 'ext4', base !== '/sys/fs/cgroup'],
    ]),
  ...(
    'autofs bpf cgroup cgroup2 debugfs devtmpfs fusectl nsfs overlay proc pstore securityfs ' +
    'squashfs sysfs tmpfs tracefs'
  )
    .split(' ')
    .flatMap((name): [string, string, boolean][] => [
      ['/data', name, false],
      ['/data', name.toUpperCase(), false],
      ['/data', `${name}x`, true],
    ]),
];

for (const [mount, system, counted] of DISKS) {
  test(`${counted ? 'counts' : 'leaves out'} a ${system} disk on ${mount}`, () => {
    const summary = derive('disk', [disk('/base'), disk(mount, system)]);
    const factor = counted ? 2 : 1;
    assert.is(summary['total_space'], factor * 10 * MIB);
    assert.is(summary['available_space'], factor * 4 * MIB);
    assert.is(summary['read_speed'], factor * 5);
    assert.is(summary['write_speed'], factor * 7);
  });
}

test('counts exactly the selected mount points, excluded ones too', () => {
  const sample = sampleWith('disk', [disk('/'), disk('/tmp', 'tmpfs'), disk('/home')]);
  const summary = deriveSummary(sample, { disks: ['/tmp', '/absent'], interfaces: [] });
  assert.is(summary['total_space'], 10 * MIB);
  assert.is(summary['read_speed'], 5);
});

const link = (interface_name: string): Interface => ({
  interface_name,
  total_received: 100,
  total_transmitted: 20,
  receive_speed: 3,
  transmit_speed: 4,
});

// [interface, counted]
const INTERFACES: [string, boolean][] = [
  ...'ens3 eth0 wlan0 wg0 enp0s3 bond0 xbr0 Lo'
    .split(' ')
    .map((name): [string, boolean] => [name, true]),
  ...'br br0 bridge0 br-1a2b cni0 docker0 podman1 flannel.1 lo lo0 veth12 virbr0 vmbr1 tap3 fwbr1 fwpr1'
    .split(' ')
    .map((name): [string, boolean] => [name, false]),
];

for (const [name, counted] of INTERFACES) {
  test(`${counted ? 'counts' : 'leaves out'} the interface ${name}`, () => {
    const summary = derive('network.interfaces', [link('eth9'), link(name)]);
    const factor = counted ? 2 : 1;
    assert.is(summary['total_received'], factor * 100);
    assert.is(summary['total_transmitted'], factor * 20);
    assert.is(summary['receive_speed'], factor * 3);
    assert.is(summary['transmit_speed'], factor * 4);
  });
}

test('counts exactly the selected interfaces, excluded ones too', () => {
  const sample = sampleWith('network.interfaces', [link('eth0'), link('lo'), link('docker0')]);
  const summary = deriveSummary(sample, { disks: [], interfaces: ['lo'] });
  assert.is(summary['total_received'], 100);
});

test('gives 0 for sums over nothing', () => {
  assert.is(derive('disk', [])['total_space'], 0);
  assert.is(derive('network.interfaces', [])['receive_speed'], 0);
});

test('saturates sums at the largest signed 64-bit value', () => {
  const summary = derive('disk', [
    { ...disk('/a'), total_space: 2 ** 62 },
    { ...disk('/b'), total_space: 2 ** 62 },
  ]);
  assert.is(summary['total_space'], INT64_MAX);
});

test('sums beyond 2^53 without losing a byte', () => {
  const summary = derive(
    'network.interfaces',
    [2 ** 53, 1, 2].map((total_received) => ({
      ...link('eth0'),
      total_received,
    })),
  );
  assert.is(summary['total_received'], 2n ** 53n + 3n);
});

test('writes saturated sums as plain integers and missing values as null', () => {
  const summary = derive('ram.total_memory', 2 ** 64);
  const text = summaryJson({ uuid: AGENT, time: 1781000001000 }, summary);
  assert.match(text, '"total_memory":9223372036854775807,');
  assert.match(text, '"gpu_usage":null,');
  assert.is(JSON.parse(text).uuid, AGENT);
  assert.is(JSON.parse(text).time, 1781000001000);
});

test('has the 23 members of the chapter, and no others', () => {
  const page =
    'cpu_usage gpu_usage used_swap total_swap used_memory total_memory available_memory load_one ' +
    'load_five load_fifteen uptime boot_time process_count total_space available_space read_speed ' +
    'write_speed tcp_connections udp_connections total_received total_transmitted transmit_speed ' +
    'receive_speed';
  assert.equal(Object.keys(deriveSummary(SAMPLE, NO_SELECTION)).sort(), page.split(' ').sort());
});

const CANONICAL = [
  '{"logical_cores":4,"per_core":[{"brand":"EPYC Test","id":1,"name":"cpu0","vendor_id":"AuthenticAMD"}],"physical_cores":2}',
  '{"arch":"x86_64","distribution_id":"debian","system_host_name":"node-α","system_kernel":"6.1.0","system_kernel_version":"Linux 6.1","system_name":"Linux","system_os_long_version":"Debian 12","system_os_version":"12.5","virtualization":"Physical"}',
  '[]',
];

test('hashes the canonical text of the chapter', () => {
  const { cpu, system, gpu } = INVENTORY;
  assert.equal([cpu, system, gpu].map(canonicalJson), CANONICAL);
});

test("gives the chapter's test vector", () => {
  assert.is(Buffer.from(staticHash(INVENTORY)).toString('hex'), '64f2c99a7c725bf03b61688cb26a4021');
  assert.equal(
    staticHash(INVENTORY),
    [100, 242, 201, 154, 124, 114, 91, 240, 59, 97, 104, 140, 178, 106, 64, 33],
  );
});

// [value, canonical text]
const CANON: [unknown, string][] = [
  ['a"b\\c/d\u0001\b\f\n\r\t', '"a\\"b\\\\c/d\\u0001\\b\\f\\n\\r\\t"'],
  ['ü€😀\u007f', '"ü€😀\u007f"'],
  [{ b: 1, a: { d: [], c: null } }, '{"a":{"c":null,"d":[]},"b":1}'],
  // Sorted by bytes: U+FF5E stands before U+1F600, although its UTF-16 units do not.
  [{ '\u{1f600}': 1, '\uff5e': 2, Z: 3, a: 4 }, '{"Z":3,"a":4,"\uff5e":2,"\u{1f600}":1}'],
];

for (const [value, expected] of CANON) {
  test(`writes ${expected} as canonical JSON`, () => {
    assert.is(canonicalJson(value), expected);
  });
}

test.run();
