/** Mounts that never answer: the others are told in each sample, and the log says so once, then hourly. */
import * as assert from 'uvu/assert';
import { systemClock } from '../agent/src/clock.ts';
import { DiskSurvey } from '../agent/src/collect/disks.ts';
import { asking, type Room } from '../agent/src/collect/room.ts';
import { Rooms } from '../agent/src/collect/rooms.ts';
import { FakeClock, memoryLog } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: dead mounts');
test.after(removeMachines);

const HOUR_MS = 3_600_000;
const ROOM: Room = { total_space: 100, used_space: 60, available_space: 30 };

const ALL = ['/', '/mnt/nas', '/data'];

const mountinfo = (dead: number) =>
  [
    '20 1 254:0 / / rw - ext4 /dev/vda rw',
    ...Array.from(
      { length: dead },
      (_, n) => `${30 + n} 20 0:${50 + n} / /mnt/dead${n} rw - nfs4 gone:/${n} rw`,
    ),
    '21 20 0:41 / /mnt/nas rw - nfs4 nas:/vol rw',
    '22 20 254:1 / /data rw - ext4 /dev/vdb rw',
  ].join('\n');

/** A survey of `dead` dead mounts between live ones, and the questions that are under way. */
function surveyOf(dead: number) {
  const { machine, write } = machineOf({ '/proc/self/mountinfo': mountinfo(dead) });
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const silent = new Set(Array.from({ length: dead }, (_, n) => `/mnt/dead${n}`));
  const open = { kernel: [] as string[], program: [] as string[], most: 0 };
  const never = new Promise<never>(() => {});
  const kernel = async (path: string) => {
    if (!silent.has(path)) return ROOM;
    open.kernel.push(path);
    return await never;
  };
  const program = (path: string, limit_ms: number) => {
    if (!silent.has(path)) return { room: Promise.resolve(ROOM), gone: Promise.resolve() };
    open.program.push(path);
    open.most = Math.max(open.most, open.program.length);
    const ended = Promise.withResolvers<void>();
    const room = new Promise<Room>((_, reject) => {
      clock.after('program', limit_ms, () => {
        open.program.splice(open.program.indexOf(path), 1);
        reject(new Error('no answer'));
        ended.resolve();
      });
    });
    return { room, gone: ended.promise };
  };
  const survey = new DiskSurvey(machine, new Rooms(clock, log, { kernel, program }), []);
  /** Mount points that a survey tells. Then time moves on to 5 s after its begin. */
  const measure = async () => {
    const begun = clock.steady();
    let disks: string[] | undefined;
    void survey.measure().then((found) => {
      disks = found.map(({ mount_point }) => mount_point);
    });
    while (disks === undefined) {
      // Files are read in real time. What waits for time besides them is the survey's patience.
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.labels().some((label) => label !== 'program')) await clock.advance(10);
    }
    assert.ok(clock.steady() - begun <= 1000, `took ${clock.steady() - begun} ms`);
    await clock.advance(begun + 5000 - clock.steady());
    return disks;
  };
  return { clock, lines, silent, open, measure, write };
}

for (const dead of [0, 1, 2, 5, 60])
  test(`tells the live mounts in each survey beside ${dead} dead ones`, async () => {
    const { open, measure } = surveyOf(dead);
    for (let round = 0; round < 30; round += 1) {
      const told = await measure();
      assert.ok(told.includes('/') && told.includes('/data'), `round ${round}: ${told}`);
      // Beside sixty that nobody knows to be dead a share waits for its turn once.
      if (dead < 4 || round >= 10) assert.ok(told.includes('/mnt/nas'), `round ${round}: ${told}`);
      assert.is(told.length, told.includes('/mnt/nas') ? 3 : 2);
      assert.is(new Set(open.program).size, open.program.length, 'one question for each mount');
    }
    assert.equal(open.kernel, [], 'no thread asks a share');
    assert.ok(open.most <= 6, `${open.most} programs at a time`);
  });

test('tells a dead mount with its last size, says so at once and hourly, and that it is back', async () => {
  const { lines, silent, measure } = surveyOf(0);
  const rounds = async (ms: number) => {
    for (let at = 0; at < ms; at += 5000) assert.equal(await measure(), ALL);
  };
  const marks = () => lines.filter((line) => line.includes('/mnt/nas'));
  await rounds(5000);
  assert.equal(marks(), []);
  silent.add('/mnt/nas');
  await rounds(60_000);
  assert.is(marks().length, 1);
  assert.match(marks()[0]!, /WARN .*a mount does not answer.*nfs4.*no answer/);
  await rounds(HOUR_MS / 2);
  assert.is(marks().length, 1);
  await rounds(HOUR_MS / 2 + 120_000);
  assert.is(marks().length, 2);
  silent.clear();
  await rounds(120_000);
  assert.match(marks()[2]!, /INFO .*a mount answers again/);
  assert.is(marks().length, 3);
});

test('asks a local mount that hangs through the program, and the others go on', async () => {
  const { silent, open, measure } = surveyOf(0);
  assert.equal(await measure(), ALL);
  silent.add('/data');
  for (let round = 0; round < 20; round += 1) {
    assert.equal(await measure(), ALL);
  }
  assert.equal(open.kernel, ['/data'], 'one thread hangs, for one question');
});

test('holds at most two threads, however many local mounts hang', async () => {
  const { silent, open, measure, write } = surveyOf(0);
  const disks = Array.from(
    { length: 5 },
    (_, n) => `${40 + n} 1 8:${n} / /d${n} rw - xfs /dev/sd${n} rw`,
  );
  write('/proc/self/mountinfo', [mountinfo(0), ...disks].join('\n'));
  for (let n = 0; n < 5; n += 1) silent.add(`/d${n}`);
  for (let round = 0; round < 20; round += 1) {
    const told = await measure();
    if (round > 0) assert.equal(told, ALL);
  }
  assert.is(open.kernel.length, 2);
});

test('asks what is mounted below a share through the program, too', async () => {
  const { open, silent, measure, write } = surveyOf(0);
  const below = '40 21 8:1 / /mnt/nas/disk rw - ext4 /dev/sda1 rw';
  write('/proc/self/mountinfo', `${mountinfo(0)}\n${below}`);
  silent.add('/mnt/nas').add('/mnt/nas/disk');
  assert.equal(await measure(), ['/', '/data']);
  assert.equal([open.kernel, open.most], [[], 2], 'both through programs');
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the program says the same as the kernel', async () => {
  const path = '/proc/self';
  const { room, gone } = asking.program(path, 60_000);
  assert.equal(await room, await asking.kernel(path));
  await gone;
});

onLinux('the log says that the program is missing, where it is', async () => {
  const { machine } = machineOf({ '/proc/self/mountinfo': '20 1 0:41 / /proc rw - nfs4 n:/ rw' });
  const { log, lines } = memoryLog();
  const rooms = new Rooms(systemClock, log, asking);
  const path = process.env['PATH'];
  process.env['PATH'] = '/nothing';
  try {
    assert.equal(await new DiskSurvey(machine, rooms, ['/proc']).measure(), []);
  } finally {
    process.env['PATH'] = path;
  }
  assert.match(lines.join(''), /a mount does not answer.*reason="cannot run stat: ENOENT"/);
});

onLinux('a file system that is not for this user is left out without a word', async () => {
  const { machine } = machineOf({
    '/proc/self/mountinfo': '20 1 0:41 / /nothing/here rw - nfs4 nas:/vol rw',
  });
  const { log, lines } = memoryLog();
  const survey = new DiskSurvey(machine, new Rooms(systemClock, log, asking), []);
  assert.equal(await survey.measure(), []);
  const { room } = asking.program('/nothing/here', 60_000);
  const reason = await room.then(String, String);
  assert.match(reason, /No such file or directory/);
  assert.equal(lines, []);
});

test.run();
