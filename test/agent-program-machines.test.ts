/**
 * Two made machines whose files the agent program reads as its root (test/fixtures/machines): a host of containers and virtual
 * machines, and an Arm board with an old kernel. `report.json` beside the files is all that the agent must tell of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { LinuxCollector } from '../agent/src/collect/linux.ts';
import type { Asking, Room } from '../agent/src/collect/room.ts';
import { readSensors } from '../agent/src/collect/sensors.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { FakeClock, memoryLog } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { blockFiles, type Files, netFiles } from './agent-program-sys-files.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: two machines');
test.after(removeMachines);

const FIXTURES = join(import.meta.dirname, 'fixtures/machines');

/** Texts of all files in a folder, by their paths in it. */
function texts(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  return Object.fromEntries(
    paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  );
}

/** Processes with these numbers; those of `kernel` are threads of the kernel. */
const processes = (programs: number[], kernel: number[]): Files =>
  Object.fromEntries([
    ['/proc/2/comm', 'kthreadd\n'],
    ['/proc/2/task/2/children', kernel.join(' ')],
    ...[...programs, ...kernel].map((number) => [`/proc/${number}/stat`, `${number} (x) S 1 `]),
  ]);

/** What `statfs` says: mount point → GiB in all, used, available. What is not here must not be asked. */
type Rooms = Readonly<Record<string, readonly [number, number, number]>>;

function answering(rooms: Rooms): Asking {
  const roomOf = async (path: string): Promise<Room> => {
    const room = rooms[path];
    if (!room) throw new Error(`${path} was asked`);
    const [total_space, used_space, available_space] = room.map((gib) => gib * 2 ** 30);
    return {
      total_space: total_space!,
      used_space: used_space!,
      available_space: available_space!,
    };
  };
  return { kernel: roomOf, program: (path) => ({ room: roomOf(path), gone: Promise.resolve() }) };
}

const HOST = {
  name: 'container-host',
  sys: {
    ...processes([1, 700, 701, 4000], [3, 4, 60]),
    ...blockFiles([
      { number: '7:0', name: 'loop0', rotational: 1 },
      { number: '8:0', name: 'sda', rotational: 0 },
      { number: '8:2', name: 'sda2', of: 'sda' },
      { number: '252:0', name: 'dm-0', rotational: 1 },
    ]),
    ...netFiles({
      lo: {},
      eno1: { has: 'device bonding_slave master upper_bond0' },
      eno2: { has: 'device bonding_slave master upper_bond0' },
      bond0: { has: 'bonding brport master upper_vmbr0 lower_eno1 lower_eno2' },
      'bond0.20': { has: 'brport master upper_lan20 lower_bond0', uevent: 'DEVTYPE=vlan' },
      vmbr0: { has: 'bridge lower_bond0 lower_tap100i0', uevent: 'DEVTYPE=bridge' },
      lan20: { has: 'bridge lower_bond0.20', uevent: 'DEVTYPE=bridge' },
      vnet5: { has: 'brport master upper_virbr0' },
      cali77: { iflink: 3 },
      wg0: { uevent: 'DEVTYPE=wireguard' },
    }),
  },
  rooms: {
    '/': [300, 20, 280],
    '/rpool': [280, 0, 280],
    '/rpool/ROOT': [280, 0, 280],
    '/rpool/data': [280, 0, 280],
    '/rpool/data/subvol-101-disk-0': [8, 3, 5],
    '/tank': [850, 50, 800],
    '/tank/media': [900, 100, 800],
    '/tank/backup': [850, 50, 800],
    '/boot/efi': [0.5, 0.25, 0.25],
    // Five of a hundred blocks are kept for root.
    '/mnt/old data': [100, 40, 55],
    '/snap/core20/2318': [0.0625, 0.0625, 0],
    '/etc/pve': [0.125, 0, 0.125],
    '/mnt/drive': [1_048_576, 0, 1_048_576],
    '/mnt/pve/nas': [8000, 4000, 4000],
  } satisfies Rooms,
};

const BOARD = {
  name: 'arm-board',
  sys: {
    ...processes([1, 300], []),
    ...blockFiles([
      { number: '179:0', name: 'mmcblk0', rotational: 0 },
      { number: '179:1', name: 'mmcblk0p1', of: 'mmcblk0' },
      { number: '179:2', name: 'mmcblk0p2', of: 'mmcblk0' },
      { number: '254:0', name: 'zram0', rotational: 0 },
      { number: '8:0', name: 'sda', rotational: 1, removable: 1 },
      { number: '8:1', name: 'sda1', of: 'sda' },
      { number: '8:16', name: 'sdb', rotational: 1 },
      { number: '8:17', name: 'sdb1', of: 'sdb' },
    ]),
    ...netFiles({
      lo: {},
      eth0: { has: 'device' },
      'eth0.7': { has: 'lower_eth0', uevent: 'DEVTYPE=vlan' },
      wlan0: { has: 'device wireless', uevent: 'DEVTYPE=wlan' },
    }),
  },
  rooms: {
    '/': [29, 9, 18],
    '/tmp': [1, 0, 1],
    '/var/log': [0.0625, 0.015625, 0.03125],
    '/boot': [0.25, 0.125, 0.125],
    '/srv/photos': [460, 60, 398],
    '/mnt/windows': [100, 50, 50],
    '/mnt/share': [900, 100, 800],
  } satisfies Rooms,
};

/** The static figures, the full report, its summary and the sensors, a second after the first reading. */
async function tell({ name, sys, rooms }: { name: string; sys: Files; rooms: Rooms }) {
  const folder = join(FIXTURES, name);
  const files = texts(folder);
  const first = Object.entries(files).filter(([path]) => !/^\/later\/|\/report\.json$/.test(path));
  const { machine, write } = machineOf({ ...Object.fromEntries(first), ...sys });
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const collector = new LinuxCollector(clock, log, [], { machine, rooms: answering(rooms) });
  await clock.advance(1000);
  for (const [path, text] of Object.entries(texts(join(folder, 'later')))) write(path, text);
  const { cpu, system } = await collector.inventory();
  const sample = await collector.sample();
  const { carried, unknown } = collector;
  assert.equal(lines, []);
  // What the kernel under this test says of itself comes from no file.
  const { system_kernel, system_host_name, arch, ...told } = system;
  return {
    cpu,
    system: told,
    sample,
    summary: deriveSummary(sample, { disks: [], interfaces: [], carried }, unknown),
    sensors: await readSensors(machine.at('/sys/class')),
  };
}

for (const machine of [HOST, BOARD])
  test(`tells of the ${machine.name} what its report.json says`, async () => {
    const path = join(FIXTURES, machine.name, 'report.json');
    assert.equal(await tell(machine), JSON.parse(readFileSync(path, 'utf8')));
  });

test.run();
