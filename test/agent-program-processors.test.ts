/** Processors, memory, sensors and names of machines that are no ordinary x86 server, as the agent program tells them. */
import * as assert from 'uvu/assert';
import { cpuUsage, parseCpuTimes } from '../agent/src/collect/cpu.ts';
import { cpuInventory, parseFrequencies } from '../agent/src/collect/cpu-info.ts';
import { parseNvidia } from '../agent/src/collect/gpu.ts';
import { LinuxCollector } from '../agent/src/collect/linux.ts';
import { parseMemory } from '../agent/src/collect/memory.ts';
import { readSensors } from '../agent/src/collect/sensors.ts';
import { longVersion } from '../agent/src/collect/system.ts';
import { FakeClock, memoryLog } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: odd machines');
test.after(removeMachines);

const repeat = (count: number, block: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => block(number)).join('\n');
const arm = (implementer: string, part: string) => (number: number) =>
  `processor\t: ${number}
BogoMIPS\t: 48.00
Features\t: fp asimd
CPU implementer\t: ${implementer}
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: ${part}
CPU revision\t: 1
`;
const POWER = (number: number) => `processor\t: ${number}
cpu\t\t: POWER9 (architected), altivec supported
clock\t\t: 2200.000000MHz
revision\t: 2.2 (pvr 004e 1202)
`;
const LOONGARCH = (number: number) => `processor\t\t: ${number}
package\t\t\t: 0
core\t\t\t: ${number}
CPU Family\t\t: Loongson-64bit
Model Name\t\t: Loongson-3A5000
CPU MHz\t\t\t: 2500.00
`;
const S390X = `vendor_id       : IBM/S390
# processors    : 2
bogomips per cpu: 3241.00
processor 0: version = FF,  identification = 0133E8,  machine = 3931
processor 1: version = FF,  identification = 0133E8,  machine = 3931

cpu number      : 0
cpu MHz dynamic : 5200

cpu number      : 1
cpu MHz dynamic : 5100
`;
const ARMV7 = `processor\t: 0
model name\t: ARMv7 Processor rev 4 (v7l)
BogoMIPS\t: 38.40
CPU implementer\t: 0x41
CPU part\t: 0xd03

Hardware\t: BCM2835
Revision\t: a02082
Model\t\t: Raspberry Pi 3 Model B Rev 1.2
`;
const RISCV = (number: number) =>
  `processor\t: ${number}\nhart\t\t: ${number + 1}\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n`;
const MIPS =
  'system type\t\t: MediaTek MT7621\nmachine\t\t\t: Router\n\nprocessor\t\t: 0\ncpu model\t\t: MIPS 1004Kc V2.15\n';

// [architecture, /proc/cpuinfo, cores, maker, name, MHz by core]
const PROCESSORS: [string, string, number, string, string, number[]][] = [
  ['aarch64', repeat(2, arm('0x41', '0xd0c')), 2, 'ARM', 'Neoverse-N1', []],
  ['aarch64 of another maker', repeat(4, arm('0xc0', '0xac3')), 4, 'Ampere', 'Ampere-1', []],
  ['aarch64 of a later part', repeat(1, arm('0x41', '0xfff')), 1, 'ARM', 'ARM 0xfff', []],
  [
    'aarch64 of an unknown maker',
    arm('0x99', '0x1')(0),
    1,
    'implementer 0x99',
    'implementer 0x99 0x1',
    [],
  ],
  [
    'ppc64le',
    `${repeat(2, POWER)}\ntimebase : 512000000\nplatform : pSeries\nmachine : CHRP IBM\n`,
    2,
    '',
    'POWER9 (architected), altivec supported',
    [2200, 2200],
  ],
  [
    'loongarch',
    `system type\t\t: generic-loongson-machine\n\n${repeat(2, LOONGARCH)}`,
    2,
    '',
    'Loongson-3A5000',
    [2500, 2500],
  ],
  ['s390x', S390X, 2, 'IBM/S390', 'IBM/S390 machine 3931', [5200, 5100]],
  ['armv7', ARMV7, 1, 'ARM', 'ARMv7 Processor rev 4 (v7l)', []],
  ['riscv64', repeat(2, RISCV), 2, '', 'sifive,u74-mc', []],
  ['mips', MIPS, 1, '', 'MIPS 1004Kc V2.15', []],
];
for (const [architecture, text, cores, vendor_id, brand, mhz] of PROCESSORS) {
  test(`${architecture}: cores are counted and the processor has a name`, () => {
    const { logical_cores, per_core } = cpuInventory(text);
    assert.is(logical_cores, cores);
    assert.equal(
      per_core,
      Array.from({ length: cores }, (_, n) => ({ id: n + 1, name: `cpu${n}`, vendor_id, brand })),
    );
    assert.equal([...parseFrequencies(text).values()], mhz);
  });
}

test('physical cores come from the lists of threads where /proc/cpuinfo has none', () => {
  const text = repeat(4, arm('0x43', '0x0af'));
  const siblings = ['0,2', '1,3', '0,2', '1,3'];
  assert.is(cpuInventory(text, { numbers: [], siblings }).physical_cores, 2);
  assert.is(cpuInventory(text).physical_cores, 0);
  assert.is(cpuInventory(repeat(2, LOONGARCH)).physical_cores, 2);
});

test('a kernel whose /proc/cpuinfo names no cores has those of /proc/stat', async () => {
  const { machine } = machineOf({
    '/proc/cpuinfo': 'cpu\t\t: TI UltraSparc IIIi\nncpus active\t: 2\n',
    '/proc/stat': 'cpu 2 2 2 2\ncpu0 1 1 1 1\ncpu1 1 1 1 1\n',
    '/sys/devices/system/cpu/cpu0/topology/thread_siblings_list': '0\n',
    '/sys/devices/system/cpu/cpu1/topology/thread_siblings_list': '1\n',
  });
  const collector = new LinuxCollector(new FakeClock(), memoryLog().log, [], { machine });
  const { cpu } = await collector.inventory();
  assert.equal([cpu.logical_cores, cpu.physical_cores], [2, 2]);
  assert.is(cpu.per_core[1]?.brand, 'TI UltraSparc IIIi');
});

test('idle time near 2^63, as in some containers, does not make a machine busy', () => {
  const before = parseCpuTimes('cpu  1000 0 0 8317131874320235395 0 0 0 0 0 0\n');
  const after = parseCpuTimes('cpu  1050 0 0 8317131874320235495 0 0 0 0 0 0\n');
  assert.is(cpuUsage(before, after, new Map()).total_cpu_usage, 33.33);
});

const GIB = 2 ** 20;
const meminfo = (available: number | undefined) =>
  `MemTotal: ${16 * GIB} kB
MemFree: ${1 * GIB} kB
${available === undefined ? '' : `MemAvailable: ${available * GIB} kB\n`}Buffers: ${1 * GIB} kB
Cached: ${6 * GIB} kB
Shmem: ${5 * GIB} kB
SReclaimable: ${1 * GIB} kB
`;
const arcstats = (size: number, least: number) =>
  `9 1 0x01 147 39984 5017383 8171\nname                            type data\nc                               4    ${size * 2 ** 30}
c_min                           4    ${least * 2 ** 30}\nsize                            4    ${size * 2 ** 30}\n`;
const inGib = ({
  used_memory,
  available_memory,
}: {
  used_memory: number;
  available_memory: number;
}) => [used_memory / 2 ** 30, available_memory / 2 ** 30];

test('shared memory is not available where the kernel does not tell what is', () => {
  assert.equal(inGib(parseMemory(meminfo(undefined))), [12, 4]);
});

test('the cache of ZFS, but for the least that it keeps, is no used memory, which is never below zero', () => {
  assert.equal(inGib(parseMemory(meminfo(4), arcstats(8, 1))), [5, 11]);
  assert.equal(inGib(parseMemory(meminfo(4), arcstats(1, 2))), [12, 4]);
  assert.equal(inGib(parseMemory(meminfo(15), arcstats(40, 1))), [0, 16]);
});

const collectorOn = (files: Record<string, string>) =>
  new LinuxCollector(new FakeClock(), memoryLog().log, [], { machine: machineOf(files).machine });

test("the cache of a host's ZFS is in the figures of the host, not in those of a container", async () => {
  const files = {
    '/proc/meminfo': meminfo(4),
    '/proc/spl/kstat/zfs/arcstats': arcstats(8, 1),
    '/proc/self/mountinfo': '22 28 0:21 / /proc rw - proc proc rw\n',
  };
  assert.equal(inGib((await collectorOn(files).sample()).ram), [5, 11]);
  const lxcfs = '40 22 0:60 /proc/meminfo /proc/meminfo rw - fuse.lxcfs lxcfs rw\n';
  const container = { ...files, '/proc/self/mountinfo': lxcfs };
  assert.equal(inGib((await collectorOn(container).sample()).ram), [12, 4]);
});

const CHIP = { 'hwmon/hwmon0/name': 'nct6775' };
// [what, files, temperatures, fans, batteries]
const SENSORS: [string, Record<string, string>, unknown[], unknown[], unknown[]][] = [
  ['−128 °C', { 'hwmon/hwmon0/temp1_input': '-128000' }, [], [], []],
  ['127 °C', { 'hwmon/hwmon0/temp1_input': '127000' }, [], [], []],
  ['6553.5 °C', { 'hwmon/hwmon0/temp1_input': '6553500' }, [], [], []],
  ['−273.1 °C of a zone', { 'thermal/thermal_zone0/temp': '-273150' }, [], [], []],
  [
    'a probe that is broken',
    { 'hwmon/hwmon0/temp1_input': '30000', 'hwmon/hwmon0/temp1_fault': '1' },
    [],
    [],
    [],
  ],
  ['65535 turns', { 'hwmon/hwmon0/fan1_input': '65535' }, [], [], []],
  [
    'a battery with 65535 %',
    { 'power_supply/B/type': 'Battery', 'power_supply/B/capacity': '65535' },
    [],
    [],
    [],
  ],
  [
    'a limit of −273.1 °C',
    { 'hwmon/hwmon0/temp1_input': '41000', 'hwmon/hwmon0/temp1_crit': '-273150' },
    [{ name: 'nct6775 temp1', celsius: 41 }],
    [],
    [],
  ],
  [
    'a limit of 65261.9 °C',
    { 'hwmon/hwmon0/temp1_input': '41000', 'hwmon/hwmon0/temp1_crit': '65261850' },
    [{ name: 'nct6775 temp1', celsius: 41 }],
    [],
    [],
  ],
  [
    'frost, and a fan that stands still',
    { 'hwmon/hwmon0/temp1_input': '-20000', 'hwmon/hwmon0/fan1_input': '0' },
    [{ name: 'nct6775 temp1', celsius: -20 }],
    [{ name: 'nct6775 fan1', rpm: 0 }],
    [],
  ],
  [
    'a battery with 103 %',
    { 'power_supply/B/type': 'Battery', 'power_supply/B/capacity': '103' },
    [],
    [],
    [{ name: 'B', percent: 100, status: 'Unknown' }],
  ],
];
for (const [what, files, temperatures, fans, batteries] of SENSORS) {
  test(`sensors: ${what}`, async () => {
    const { root } = machineOf(
      Object.fromEntries(
        Object.entries({ ...CHIP, ...files }).map(([path, text]) => [`/${path}`, `${text}\n`]),
      ),
    );
    assert.equal(await readSensors(root), { temperatures, fans, batteries });
  });
}

test('impossible figures of a graphics processor are none', () => {
  const [card] = parseNvidia('A, 1, 2, 3, 3, 3, 3, 65535, 200, 6553\n');
  assert.is(card?.tellsUsage, false);
  const { utilization_gpu, utilization_memory, temperature } = card!.now;
  assert.equal([utilization_gpu, utilization_memory, temperature], [0, 0, 0]);
});

// [NAME, VERSION_ID, text]
const LONG: [string, string, string][] = [
  ['Debian GNU/Linux', '12', 'Linux (Debian GNU/Linux 12)'],
  ['Arch Linux', '', 'Linux (Arch Linux)'],
  ['Linux', '', 'Linux'],
];
for (const [name, version, text] of LONG) {
  test(`the long version of ${name} ${version} is "${text}"`, () => {
    assert.is(longVersion(name, version), text);
  });
}

const KVM = {
  '/proc/cpuinfo': 'processor : 0\nflags : fpu hypervisor\n',
  '/sys/devices/system/clocksource/clocksource0/available_clocksource': 'kvm-clock tsc\n',
};
// [what, files beside those of a virtual machine, virtualization]
const CONTAINERS: [string, Record<string, string>, string][] = [
  ['a virtual machine', {}, 'KVM'],
  ['/.dockerenv', { '/.dockerenv': '' }, 'Docker'],
  ['a container of Podman', { '/run/.containerenv': '' }, 'Podman'],
  ['a container of LXC', { '/run/systemd/container': 'lxc\n' }, 'LXC'],
  ['a container of LXC without systemd', { '/proc/1/environ': 'A=1\0container=lxc\0B=2' }, 'LXC'],
  ['another container', { '/run/systemd/container': 'rkt\n' }, 'rkt'],
  ['OpenVZ', { '/proc/vz/version': '' }, 'OpenVZ'],
  ['the host of OpenVZ', { '/proc/vz/version': '', '/proc/bc/0': '' }, 'KVM'],
  ['WSL', { '/proc/sys/kernel/osrelease': '5.15.90.1-microsoft-standard-WSL2\n' }, 'WSL'],
  ['a pod', { '/run/secrets/kubernetes.io/token': '' }, 'Kubernetes'],
  [
    'a pod without a token',
    { '/proc/1/cgroup': '1:name=systemd:/kubepods/besteffort/pod1/2\n' },
    'Kubernetes',
  ],
];
for (const [what, files, virtualization] of CONTAINERS) {
  test(`virtualization of ${what} is ${virtualization}`, async () => {
    const { system } = await collectorOn({ ...KVM, ...files }).inventory();
    assert.is(system.virtualization, virtualization);
  });
}

test.run();
