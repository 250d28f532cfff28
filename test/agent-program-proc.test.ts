/** How the agent program reads the kernel's texts. */
import * as os from 'node:os';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { systemClock } from '../agent/src/clock.ts';
import { cpuUsage, parseCpuTimes } from '../agent/src/collect/cpu.ts';
import { cpuInventory, parseFrequencies } from '../agent/src/collect/cpu-info.ts';
import { parseDf, parseNetstat, parseSwap, parseVmStat } from '../agent/src/collect/darwin.ts';
import { withSpeeds } from '../agent/src/collect/disks.ts';
import { createCollector } from '../agent/src/collect/index.ts';
import { parseMemory } from '../agent/src/collect/memory.ts';
import {
  asForTheSystem,
  type Mount,
  parseDiskTraffic,
  parseMounts,
  reportedMounts,
} from '../agent/src/collect/mounts.ts';
import { interfaces, parseSockets, parseTraffic } from '../agent/src/collect/network.ts';
import { PortableCollector } from '../agent/src/collect/portable.ts';
import { osVersion, parseOsRelease } from '../agent/src/collect/system.ts';
import { detectVirtualization } from '../agent/src/collect/virtualization.ts';
import type { Collector } from '../agent/src/reports.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { memoryLog } from './agent-program-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: kernel texts');

const STAT_BEFORE = `cpu  200 0 100 700 0 0 0 0 50 0
cpu0 100 0 50 350 0 0 0 0 0 0
cpu2 100 0 50 350 0 0 0 0 0 0
intr 228243 0 0 0
btime 1795226786
`;
const STAT_AFTER = `cpu  230 10 110 830 10 5 5 0 60 0
cpu0 150 0 50 400 0 0 0 0 0 0
cpu1 9 0 9 9 0 0 0 0 0 0
cpu2 100 0 50 450 0 0 0 0 0 0
intr 228243 0 0 0
`;

test('counts user, nice, system, interrupts and stolen time as used, idle and iowait as not', () => {
  const { total_cpu_usage } = cpuUsage(
    parseCpuTimes(STAT_BEFORE),
    parseCpuTimes(STAT_AFTER),
    new Map(),
  );
  // 200 ticks passed, 60 of them busy.
  assert.is(total_cpu_usage, 30);
});

test('numbers cores from 1 by their own number, with 0 for one that has just appeared', () => {
  const { per_core } = cpuUsage(
    parseCpuTimes(STAT_BEFORE),
    parseCpuTimes(STAT_AFTER),
    new Map([[0, 2450]]),
  );
  assert.equal(per_core, [
    { id: 1, cpu_usage: 50, frequency_mhz: 2450 },
    { id: 2, cpu_usage: 0, frequency_mhz: 0 },
    { id: 3, cpu_usage: 0, frequency_mhz: 0 },
  ]);
});

test('gives 0 percent when no time has passed or the counters went back', () => {
  const times = parseCpuTimes(STAT_AFTER);
  assert.is(cpuUsage(times, times, new Map()).total_cpu_usage, 0);
  assert.is(cpuUsage(times, parseCpuTimes(STAT_BEFORE), new Map()).total_cpu_usage, 0);
});

const CPUINFO = `processor	: 0
vendor_id	: GenuineIntel
model name	: Intel(R) Xeon(R) CPU @ 2.20GHz
cpu MHz		: 2199.998
physical id	: 0
core id		: 0

processor	: 1
vendor_id	: GenuineIntel
model name	: Intel(R) Xeon(R) CPU @ 2.20GHz
cpu MHz		: 800.4
physical id	: 0
core id		: 0

processor	: 2
vendor_id	: GenuineIntel
model name	: Intel(R) Xeon(R) CPU @ 2.20GHz
physical id	: 1
core id		: 0
`;

test('counts hardware threads as logical and their cores as physical', () => {
  const cpu = cpuInventory(CPUINFO);
  assert.is(cpu.logical_cores, 3);
  assert.is(cpu.physical_cores, 2);
  assert.equal(cpu.per_core[2], {
    id: 3,
    name: 'cpu2',
    vendor_id: 'GenuineIntel',
    brand: 'Intel(R) Xeon(R) CPU @ 2.20GHz',
  });
});

test('rounds frequencies to whole MHz and leaves out what is not told', () => {
  assert.equal(
    [...parseFrequencies(CPUINFO)],
    [
      [0, 2200],
      [1, 800],
    ],
  );
});

const MEMINFO = `MemTotal:       24684084 kB
MemFree:        10000000 kB
MemAvailable:   20000000 kB
Buffers:            1000 kB
Cached:          2000000 kB
SwapTotal:       1000000 kB
SwapFree:         400000 kB
HugePages_Total:       0
`;

test('reads memory as bytes; used is what is not available', () => {
  assert.equal(parseMemory(MEMINFO), {
    total_memory: 24684084 * 1024,
    available_memory: 20000000 * 1024,
    used_memory: 4684084 * 1024,
    total_swap: 1000000 * 1024,
    used_swap: 600000 * 1024,
  });
});

test('estimates available memory where the kernel has no figure for it', () => {
  const memory = parseMemory(MEMINFO.replace(/MemAvailable.*\n/, ''));
  assert.is(memory.available_memory, (10000000 + 1000 + 2000000) * 1024);
});

const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0:190703933    6457    0    0    0     0          0         0   512590    4482    0    0    0     0       0          0
eth0:1:     10       1    0    0    0     0          0         0       20       1    0    0    0     0       0          0
`;

test('reads received and sent bytes of every interface, tight columns and aliases too', () => {
  assert.equal(
    [...parseTraffic(NET_DEV)],
    [
      ['lo', { received: 3193, transmitted: 3193 }],
      ['eth0', { received: 190703933, transmitted: 512590 }],
      ['eth0:1', { received: 10, transmitted: 20 }],
    ],
  );
});

test('derives interface speeds per second, 0 for new and restarted ones', () => {
  const before = new Map([
    ['eth0', { received: 1000, transmitted: 500 }],
    ['wg0', { received: 9000, transmitted: 9000 }],
  ]);
  const after = new Map([
    ['eth0', { received: 4000, transmitted: 501 }],
    ['wg0', { received: 5, transmitted: 9100 }],
    ['new0', { received: 77, transmitted: 88 }],
  ]);
  const speeds = interfaces(before, after, 2).map((link) => [
    link.interface_name,
    link.total_received,
    link.receive_speed,
    link.transmit_speed,
  ]);
  assert.equal(speeds, [
    ['eth0', 4000, 1500, 1],
    ['wg0', 5, 0, 50],
    ['new0', 77, 0, 0],
  ]);
});

const SNMP = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs
Tcp: 1 200 120000 -1 748244 608578 118827 134087 146 46036799
Udp: InDatagrams NoPorts
`;

test('counts established connections, not what listens, and UDP sockets of both address families', () => {
  const sockstat =
    'sockets: used 16\nTCP: inuse 182 orphan 0 tw 3 alloc 1 mem 145\nUDP: inuse 3 mem 0\n';
  const sockstat6 = 'TCP6: inuse 5\nUDP6: inuse 2\nUDPLITE6: inuse 40\nRAW6: inuse 50\n';
  assert.equal(parseSockets({ snmp: SNMP, sockstat, sockstat6 }), { tcp: 146, udp: 5 });
  const nothing = { snmp: '', sockstat: '', sockstat6: '' };
  assert.equal(parseSockets(nothing), { tcp: undefined, udp: undefined });
});

const MOUNTINFO = `22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard
29 28 0:25 / /dev/shm rw - tmpfs tmpfs rw
30 28 0:31 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw
31 28 8:17 / /mnt/with\\040blank\\134 ro,relatime - xfs /dev/sdb1 rw
32 28 8:18 / /mnt/readonly rw - ext4 /dev/sdb2 ro
33 28 254:1 /etc/hosts /etc/hosts rw - ext4 /dev/vda1 rw
34 28 0:50 / /var/lib/docker/overlay2/abc/merged rw - overlay overlay rw
35 28 0:60 / /data rw - tmpfs first rw
36 35 0:61 / /data rw - tmpfs second rw
37 28 0:70 / /nfs rw - nfs4 host:/export rw
garbage
`;

test('reads mounts with decoded names, flags, and the upper of two on one point', () => {
  const mounts = new Map(parseMounts(MOUNTINFO).map((mount) => [mount.mount_point, mount]));
  assert.is(mounts.size, 10);
  assert.equal(mounts.get('/mnt/with blank\\'), {
    device: '8:17',
    root: '/',
    mount_point: '/mnt/with blank\\',
    file_system: 'xfs',
    source: '/dev/sdb1',
    is_read_only: true,
  });
  assert.ok(mounts.get('/mnt/readonly')?.is_read_only);
  assert.not.ok(mounts.get('/')?.is_read_only);
  assert.is(mounts.get('/data')?.source, 'second');
});

const pointsOf = (mounts: readonly Mount[]) => mounts.map(({ mount_point }) => mount_point);

test('reports each device once, without pseudo file systems and container layers', () => {
  assert.equal(pointsOf(reportedMounts(parseMounts(MOUNTINFO), [])), [
    '/',
    '/mnt/with blank\\',
    '/mnt/readonly',
    '/data',
    '/nfs',
  ]);
});

test('reports a mount that the configuration selects, whatever it is', () => {
  const selected = ['/dev/shm', '/etc/hosts'];
  const points = pointsOf(reportedMounts(parseMounts(MOUNTINFO), selected));
  assert.ok(selected.every((point) => points.includes(point)));
});

test('calls a disk read-only only when the first process sees it so, too', () => {
  const line = (flags: string) => `29 1 254:1 / / ${flags},relatime - ext4 /dev/vda1 rw\n`;
  const seen = (own: string, first: string) =>
    asForTheSystem(parseMounts(line(own)), parseMounts(first))[0]?.is_read_only;
  assert.is(seen('ro', line('rw')), false);
  assert.is(seen('ro', line('ro')), true);
  assert.is(seen('ro', ''), true);
  assert.is(seen('rw', line('ro')), false);
});

test('turns sectors of 512 bytes into bytes per second, for the disk of that device number', () => {
  const line = (read: number, written: number) =>
    ` 254       1 vda1 33270 7575 ${read} 9542 6242 16934 ${written} 2249 0 3656 11982 3437 20 1 1 2 7\n`;
  const before = parseDiskTraffic(line(1000, 2000));
  const after = parseDiskTraffic(line(1010, 2400));
  const disk = {
    kind: 'Ssd' as const,
    name: 'vda1',
    file_system: 'ext4',
    mount_point: '/',
    total_space: 1,
    available_space: 1,
    is_removable: false,
    is_read_only: false,
  };
  const disks = withSpeeds(
    [
      { ...disk, device: '254:1' },
      { ...disk, device: '0:60' },
    ],
    before,
    after,
    2,
  );
  assert.equal(disks[0], { ...disk, read_speed: 2560, write_speed: 102400 });
  assert.is(disks[1]?.write_speed, 0);
});

test('reads the names of the distribution with and without quotes', () => {
  const os = parseOsRelease(
    `PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID='12'\nX="a \\"b\\""\n`,
  );
  assert.is(os.get('PRETTY_NAME'), 'Debian GNU/Linux 12 (bookworm)');
  assert.is(os.get('ID'), 'debian');
  assert.is(os.get('VERSION_ID'), '12');
  assert.is(os.get('X'), 'a "b"');
});

// [id, VERSION_ID, text of the distribution's own file, version]
const VERSIONS: [string, string, string, string][] = [
  ['debian', '12', '12.5', '12.5'],
  ['debian', '', 'trixie/sid', ''],
  ['alpine', '3.20', '3.20.3', '3.20.3'],
  ['rocky', '9', 'Rocky Linux release 9.4 (Blue Onyx)', '9.4'],
  ['ubuntu', '24.04', 'trixie/sid', '24.04'],
  ['arch', '', '', ''],
];

for (const [id, versionId, own, expected] of VERSIONS) {
  test(`tells version "${expected}" of ${id}`, () => {
    assert.is(osVersion(id, versionId, own), expected);
  });
}

// [firmware, clocks, processor flag, /sys/hypervisor/type, brand]
const MACHINES: [string, string, boolean, string, string][] = [
  ['Dell Inc. PowerEdge R740 Dell Inc.', 'tsc hpet acpi_pm', false, '', 'Physical'],
  ['', '', false, '', 'Physical'],
  ['', 'kvm-clock tsc', true, '', 'KVM'],
  ['QEMU Standard PC (Q35) SeaBIOS', 'kvm-clock tsc', true, '', 'KVM'],
  ['QEMU Standard PC (i440FX) SeaBIOS', 'tsc', true, '', 'QEMU'],
  ['VMware, Inc. VMware Virtual Platform Phoenix', 'tsc', true, '', 'VMware'],
  ['innotek GmbH VirtualBox innotek GmbH', 'tsc', true, '', 'VirtualBox'],
  [
    'Microsoft Corporation Virtual Machine American Megatrends',
    'hyperv_clocksource_tsc_page',
    true,
    '',
    'Microsoft Hyper-V',
  ],
  ['Microsoft Corporation Surface Pro Microsoft', 'tsc', false, '', 'Physical'],
  ['Amazon EC2 t3.small Amazon EC2', 'kvm-clock tsc', true, '', 'Amazon EC2'],
  ['Amazon EC2 m5.metal Amazon EC2', 'tsc', false, '', 'Physical'],
  ['', 'tsc', false, 'xen', 'Xen'],
  ['', 'tsc', true, '', 'Unknown hypervisor'],
];

for (const [firmware, clocks, guest, xen, brand] of MACHINES) {
  test(`calls "${firmware}" with clocks "${clocks}" ${brand}`, () => {
    assert.is(detectVirtualization({ firmware, clocks, guest, xen }), brand);
  });
}

test('makes only figures that a server takes out of any text', () => {
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  const digits = fc.stringMatching(/^[a-zA-Z0-9:. \n/-]{0,200}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits), (noise) => {
      for (const text of [noise, `cpu ${noise}`, `eth0: ${noise}`, `MemTotal: ${noise} kB`]) {
        const { total_cpu_usage } = cpuUsage(parseCpuTimes(text), parseCpuTimes(text), new Map());
        assert.ok(total_cpu_usage >= 0 && total_cpu_usage <= 100);
        assert.ok(Object.values(parseMemory(text)).every(isCount));
        const links = interfaces(parseTraffic(text), parseTraffic(text), 1);
        assert.ok(links.every(({ total_received }) => isCount(total_received)));
        const sockets = parseSockets({ snmp: text, sockstat: text, sockstat6: text });
        assert.ok(Object.values(sockets).every((value) => value === undefined || isCount(value)));
        for (const { read, written } of parseDiskTraffic(text).values()) {
          assert.ok(isCount(read) && isCount(written));
        }
        parseMounts(text);
        parseOsRelease(text);
      }
    }),
  );
});

async function looksReal(collector: Collector): Promise<void> {
  const sample = await collector.sample();
  const inventory = await collector.inventory();
  assert.is(inventory.cpu.logical_cores, os.cpus().length);
  assert.is(sample.cpu.per_core.length, os.cpus().length);
  assert.is(inventory.system.system_host_name, os.hostname());
  assert.ok(Math.abs(sample.ram.total_memory - os.totalmem()) < 1024 ** 2);
  assert.ok(sample.ram.available_memory > 0);
  assert.ok(Math.abs(sample.system.uptime - os.uptime()) < 60);
  const booted = Date.now() / 1000 - os.uptime();
  assert.ok(Math.abs(sample.system.boot_time - booted) < 60);
  const everything = JSON.stringify([sample, inventory]);
  assert.not.match(everything, 'null');
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('reads this machine from /proc and /sys', async () => {
  const collector = await createCollector(systemClock, memoryLog().log, ['/']);
  await looksReal(collector);
  const sample = await collector.sample();
  assert.ok(sample.system.process_count > 1);
  const names = sample.network.interfaces.map((link) => link.interface_name);
  assert.ok(names.includes('lo'));
  const root = sample.disk.find((disk) => disk.mount_point === '/');
  assert.ok(root && root.total_space > root.available_space);
});

test('tells on any system what Node tells', async () => {
  await looksReal(new PortableCollector(systemClock, memoryLog().log));
});

// [system, members of a summary that are absent there]
const ABSENT: [NodeJS.Platform, string][] = [
  ['win32', 'loads, swap, processes, connections, traffic, speeds of disks'],
  ['freebsd', 'swap, processes, connections, traffic, speeds of disks'],
  ['darwin', 'connections, speeds of disks'],
];
const MEMBERS: Record<string, string[]> = {
  loads: ['load_one', 'load_five', 'load_fifteen'],
  swap: ['total_swap', 'used_swap'],
  processes: ['process_count'],
  connections: ['tcp_connections', 'udp_connections'],
  traffic: ['total_received', 'total_transmitted', 'receive_speed', 'transmit_speed'],
  'speeds of disks': ['read_speed', 'write_speed'],
};

const macFigures = async () => ({
  ram: { available_memory: 1, total_swap: 2, used_swap: 1 },
  ...{ process_count: 3, disks: [], traffic: new Map(), at_ms: 0 },
});

for (const [platform, words] of ABSENT) {
  test(`leaves out of summaries on ${platform}: ${words}`, async () => {
    const collector = new PortableCollector(systemClock, memoryLog().log, platform, macFigures);
    await collector.sample();
    const { unknown } = collector;
    const sample = await new PortableCollector(systemClock, memoryLog().log, 'win32').sample();
    const summary = deriveSummary(sample, { disks: [], interfaces: [] }, unknown);
    const absent = Object.keys(summary).filter(
      (key) => summary[key] === null && key !== 'gpu_usage',
    );
    assert.equal(
      absent.sort(),
      words
        .split(', ')
        .flatMap((word) => MEMBERS[word]!)
        .sort(),
    );
    assert.ok(Number(summary['total_memory']) > 0);
  });
}

test('reads the programs of macOS', () => {
  const memory = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            200000.
Pages inactive:                           20000.
Pages speculative:                         1000.
Pages purgeable:                            500.
`;
  assert.is(parseVmStat(memory), 31_500 * 16_384);
  const swap = 'total = 2048.00M  used = 1018.25M  free = 1029.75M  (encrypted)\n';
  assert.equal(parseSwap(swap), { total_swap: 2_147_483_648, used_swap: 1_067_712_512 });
  const disks = parseDf(`Filesystem     1024-blocks      Used Available Capacity  Mounted on
/dev/disk3s1s1   971350180   9012345 500000000     2%    /
devfs                  203       203         0   100%    /dev
/dev/disk3s5     971350180 400000000 500000000    45%    /System/Volumes/Data
/dev/disk4s1       1000000    500000    500000    50%    /Volumes/My Disk
`);
  assert.equal(
    disks.map(({ name, mount_point, total_space }) => [name, mount_point, total_space]),
    [
      ['disk3s1s1', '/', 994_662_584_320],
      ['disk4s1', '/Volumes/My Disk', 1_024_000_000],
    ],
  );
  const traffic =
    parseNetstat(`Name       Mtu   Network       Address            Ipkts Ierrs     Ibytes    Opkts Oerrs     Obytes  Coll
lo0        16384 <Link#1>                       1207213     0  291478219  1207213     0  291478219     0
lo0        16384 127           127.0.0.1        1207213     -  291478219  1207213     -  291478219     -
gif0*      1280  <Link#2>                             0     0          0        0     0          0     0
en0        1500  <Link#4>    f0:18:98:0a:bb:cc 41923484     0 44325483212 22381938     0 7652334223     0
`);
  assert.equal(traffic.get('en0'), { received: 44_325_483_212, transmitted: 7_652_334_223 });
  assert.equal([...traffic.keys()], ['lo0', 'gif0', 'en0']);
});

test.run();
