/** The disks that the agent program reports: one for each device, with the room that `df` tells. */
import { execFileSync } from 'node:child_process';
import * as assert from 'uvu/assert';
import { systemClock } from '../agent/src/clock.ts';
import { LinuxCollector } from '../agent/src/collect/linux.ts';
import {
  datasetsOf,
  type Mount,
  parseMounts,
  reportedMounts,
} from '../agent/src/collect/mounts.ts';
import { readTraits } from '../agent/src/collect/traits.ts';
import type { Disk } from '../agent/src/reports.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { memoryLog } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { SAMPLE } from './agent-program-samples.ts';
import { blockFiles } from './agent-program-sys-files.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: disks');
test.after(removeMachines);

/** Lines of mountinfo from `device root mount_point file_system source`. */
const mountinfo = (table: string): string =>
  table
    .trim()
    .split('\n')
    .map((line, index) => {
      const [device, root, point, system, source, flags = 'rw'] = line.trim().split(/\s+/);
      return `${index + 20} 1 ${device} ${root} ${point} ${flags} - ${system} ${source} ${flags}`;
    })
    .join('\n');

// [what, mounts, mount points that are reported]
const TABLES: [string, string, string][] = [
  [
    'bind mounts in a container',
    `0:60 / / overlay overlay
     259:2 /o/resolv /etc/resolv.conf ext4 /dev/nvme0n1p2
     259:2 /o/hosts /etc/hosts ext4 /dev/nvme0n1p2
     259:2 /srv/a /data/a ext4 /dev/nvme0n1p2
     259:2 /srv/b /data/b ext4 /dev/nvme0n1p2`,
    '/ /data/a',
  ],
  ['a container that sees nothing else', '8:1 /x/hosts /etc/hosts ext4 /dev/sda1', '/etc/hosts'],
  [
    'a disk whose first mount is a file',
    `0:60 / / overlay overlay
     8:1 /docker/etc/hosts /etc/hosts ext4 /dev/sda1
     8:1 / /mnt/data ext4 /dev/sda1`,
    '/ /mnt/data',
  ],
  [
    'a whole disk below its bind mount',
    `8:1 /films /srv/films ext4 /dev/sda1
     8:1 / /mnt/data ext4 /dev/sda1`,
    '/mnt/data',
  ],
  [
    'bind mounts of a ZFS dataset',
    `0:30 / / zfs rpool/ROOT/pve
     0:31 / /tank/media zfs tank/media
     0:31 /tv /srv/tv zfs tank/media
     0:31 /movies /srv/movies zfs tank/media`,
    '/ /tank/media',
  ],
  [
    'datasets of a pool, and a snapshot',
    `0:31 / /tank/media zfs tank/media
     0:30 / /tank zfs tank
     0:32 / /tank/.zfs/snapshot/old zfs tank@old`,
    '/tank',
  ],
  [
    'subvolumes of btrfs',
    `0:25 /@home /home btrfs /dev/sda2
     0:24 /@ / btrfs /dev/sda2
     0:26 / /mnt/other btrfs /dev/sdb1`,
    '/ /mnt/other',
  ],
  [
    'bind mounts of an NFS share',
    `254:0 / / ext4 /dev/vda
     0:41 / /mnt/nas nfs4 nas:/vol
     0:41 /x /srv/x nfs4 nas:/vol`,
    '/ /mnt/nas',
  ],
  [
    'one device under two names',
    `179:2 / / ext4 /dev/root
     179:2 /var/lib/x /mnt/x ext4 /dev/mmcblk0p2`,
    '/',
  ],
  [
    'two devices under one name',
    `254:0 / / ext4 /dev/root
     254:1 / /data ext4 /dev/root`,
    '/ /data',
  ],
  [
    'a tmpfs that hides a folder, and one that stores',
    `254:0 / / ext4 /dev/vda
     0:27 / /opt/hidden tmpfs none ro
     0:28 / /tmp tmpfs tmpfs`,
    '/ /tmp',
  ],
];

for (const [what, table, points] of TABLES)
  test(`tells ${what} as ${points.replaceAll(' ', ' and ')}`, () => {
    const reported = reportedMounts(parseMounts(mountinfo(table)), []);
    assert.is(reported.map(({ mount_point }) => mount_point).join(' '), points);
  });

test('tells a disk by the mount that the configuration selects', () => {
  const mounts = parseMounts(mountinfo(TABLES[3]![1]));
  const points = reportedMounts(mounts, ['/srv/films']).map(({ mount_point }) => mount_point);
  assert.equal(points, ['/srv/films']);
});

test('adds up each dataset of a pool once, without snapshots and the layers of containers', () => {
  const table = `0:30 / / zfs rpool/ROOT/pve
     0:31 /tv /srv/tv zfs tank/media
     0:31 / /tank/media zfs tank/media
     0:32 / /tank zfs tank
     0:33 / /tank/.zfs/snapshot/old zfs tank@old
     0:34 / /var/lib/docker/zfs/graph/1f zfs tank/docker/1f`;
  const points = datasetsOf('tank', parseMounts(mountinfo(table))).map((one) => one.mount_point);
  assert.equal(points, ['/tank/media', '/tank']);
});

const BLOCKS = blockFiles([
  { number: '8:0', name: 'sda', rotational: 1, removable: 1 },
  { number: '8:1', name: 'sda1', of: 'sda' },
  { number: '179:0', name: 'mmcblk0', rotational: 0 },
  { number: '179:2', name: 'mmcblk0p2', of: 'mmcblk0' },
  { number: '7:0', name: 'loop0', rotational: 1 },
  { number: '253:0', name: 'dm-0', rotational: 0 },
]);

// [source, device, name, kind, removable]
const TRAITS: [string, string, string, Disk['kind'], boolean][] = [
  ['/dev/sda1', '8:1', '/dev/sda1', 'Hdd', true],
  ['/dev/root', '179:2', '/dev/mmcblk0p2', 'Ssd', false],
  ['/dev/root', '9:9', '/dev/root', 'Unknown', false],
  ['/dev/loop0', '7:0', '/dev/loop0', 'Unknown', false],
  ['/dev/mapper/vg-data', '253:0', '/dev/mapper/vg-data', 'Ssd', false],
  ['nas:/vol', '0:41', 'nas:/vol', 'Unknown', false],
];

for (const [source, device, name, kind, is_removable] of TRAITS)
  test(`calls ${source} (${device}) ${name}, ${kind}${is_removable ? ', removable' : ''}`, async () => {
    const { machine } = machineOf(BLOCKS);
    const mount = { source, device } as Mount;
    assert.equal(await readTraits(machine, mount), { device, name, kind, is_removable });
  });

const GIB = 2 ** 30;
const disk = (
  name: string,
  file_system: string,
  mount_point: string,
  total: number,
  free: number,
) =>
  ({
    ...SAMPLE.disk[0]!,
    ...{ name, file_system, mount_point },
    ...{ total_space: total * GIB, available_space: free * GIB },
  }) satisfies Disk;
const VDA = disk('/dev/vda1', 'ext4', '/', 40, 20);
const POOL = [
  disk('tank', 'zfs', '/tank', 850, 800),
  disk('tank/a', 'zfs', '/tank/a', 900, 800),
  disk('tank/b', 'zfs', '/tank/b', 850, 800),
  disk('tank/c', 'zfs', '/tank/c', 800, 800),
];

// [what, disks, mount points that are selected, GiB of the sums: total, available]
const SUMS: [string, Disk[], string[], number, number][] = [
  ['one disk', [VDA], [], 40, 20],
  ['a pool with four datasets', POOL, [], 1000, 800],
  ['two selected datasets of a pool', POOL, ['/tank', '/tank/a'], 950, 800],
  [
    'a cloud drive',
    [VDA, disk('drive:', 'fuse.rclone', '/mnt/drive', 2 ** 20, 2 ** 20)],
    [],
    40,
    20,
  ],
  ['a share by NFS', [VDA, disk('nas:/vol', 'nfs4', '/mnt/nas', 8000, 4000)], [], 40, 20],
  ['a share of Windows', [VDA, disk('//nas/smb', 'cifs', '/mnt/smb', 8000, 4000)], [], 40, 20],
  [
    'a share that is selected',
    [VDA, disk('nas:/v', 'nfs4', '/mnt/n', 80, 4)],
    ['/', '/mnt/n'],
    120,
    24,
  ],
  [
    'an NTFS disk through FUSE',
    [VDA, disk('/dev/sdb1', 'fuseblk', '/mnt/w', 100, 50)],
    [],
    140,
    70,
  ],
  ['a machine that starts from the network', [disk('nas:/r', 'nfs4', '/', 100, 50)], [], 100, 50],
];

for (const [what, disks, selected, total, available] of SUMS)
  test(`sums ${what} as ${total} GiB with ${available} available`, () => {
    const summary = deriveSummary({ ...SAMPLE, disk: disks }, { disks: selected, interfaces: [] });
    assert.is(Number(summary['total_space']) / GIB, total);
    assert.is(Number(summary['available_space']) / GIB, available);
  });

/** Bytes by mount point, as the program `df` prints them. */
function df(): Map<string, number[]> {
  // `df` fails where it cannot look at one of the mounts, and still prints the others.
  const text = execFileSync('sh', ['-c', 'df -B1 -P 2>/dev/null || true'], { encoding: 'utf8' });
  const lines = text.trim().split('\n').slice(1);
  return new Map(
    lines.map((line) => {
      const [, total, used, available, , ...point] = line.split(/\s+/);
      return [point.join(' '), [total, used, available].map(Number)];
    }),
  );
}

const hasDf = process.platform === 'linux' && df().has('/');

(hasDf ? test : test.skip)('says what `df -B1` says: used is total − free', async () => {
  const collector = new LinuxCollector(systemClock, memoryLog().log, ['/']);
  const before = df();
  let disks: Disk[] = [];
  while (disks.length === 0) disks = (await collector.sample()).disk;
  const after = df();
  const root = disks.find(({ mount_point }) => mount_point === '/')!;
  const figures = [root.total_space, root.used_space!, root.available_space];
  // Other programs write meanwhile. Blocks that are kept for root are far more than this.
  const slack = figures[0]! / 100;
  for (const [index, figure] of figures.entries()) {
    const told = [before, after].map((one) => one.get('/')![index]!);
    assert.ok(figure >= Math.min(...told) - slack, `${figure} is less than ${told}`);
    assert.ok(figure <= Math.max(...told) + slack, `${figure} is more than ${told}`);
  }
  assert.is(figures[0], before.get('/')![0]);
});

test.run();
