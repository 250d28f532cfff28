/** The age of figures that the agent program reads less often than it sends them: none is sent when it is no longer true. */
import * as assert from 'uvu/assert';
import type { GpuReading } from '../agent/src/collect/gpu.ts';
import { parseNvidia } from '../agent/src/collect/gpu.ts';
import { LinuxCollector } from '../agent/src/collect/linux.ts';
import { PortableCollector } from '../agent/src/collect/portable.ts';
import { countProcesses } from '../agent/src/collect/processes.ts';
import { SlowFigure } from '../agent/src/collect/slow-figure.ts';
import type { Collector } from '../agent/src/reports.ts';
import { deriveSummary } from '../agent/src/summary.ts';
import { FakeClock, memoryLog } from './agent-program-kit.ts';
import { machineOf, removeMachines } from './agent-program-machine.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: age of figures');
test.after(removeMachines);

/** A figure whose readings the test answers. */
function answered() {
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const answers: ((value: number | Error) => void)[] = [];
  const load = () =>
    new Promise<number>((resolve, reject) =>
      answers.push((value) => (value instanceof Error ? reject(value) : resolve(value))),
    );
  const figure = new SlowFigure({ clock, log, name: 'test', ttl_ms: 5000, load });
  return { clock, lines, answers, figure };
}

const BROKEN = new Error('Driver/library version mismatch');

/** Reads again after the period, with this outcome. */
async function read(
  { clock, answers, figure }: ReturnType<typeof answered>,
  value: number | Error,
) {
  await clock.advance(5000);
  const reading = figure.refresh();
  answers.at(-1)?.(value);
  await reading;
}

test('reads a slow figure once per period, never twice at a time', async () => {
  const { clock, answers, figure } = answered();
  const first = figure.refresh();
  void figure.refresh();
  assert.is(answers.length, 1);
  assert.is(figure.value, undefined);
  answers[0]?.(7);
  await first;
  assert.is(figure.value, 7);
  await figure.refresh();
  assert.is(answers.length, 1);
  await clock.advance(5000);
  void figure.refresh();
  assert.is(answers.length, 2);
});

test('keeps a slow figure for two failures, has none after the third, and takes the next good reading', async () => {
  const one = answered();
  await read(one, 7);
  await read(one, BROKEN);
  await read(one, BROKEN);
  assert.is(one.figure.value, 7);
  await read(one, BROKEN);
  assert.is(one.figure.value, undefined);
  await read(one, 9);
  await read(one, BROKEN);
  assert.is(one.figure.value, 9);
});

test('takes a reading that hangs for a failure each period, until it comes', async () => {
  const one = answered();
  await read(one, 7);
  await one.clock.advance(5000);
  const hanging = one.figure.refresh();
  for (let n = 0; n < 3; n += 1) {
    assert.is(one.figure.value, 7);
    await one.clock.advance(5000);
    void one.figure.refresh();
  }
  assert.is(one.figure.value, undefined);
  assert.is(one.answers.length, 2);
  one.answers[1]?.(8);
  await hanging;
  assert.is(one.figure.value, 8);
});

test('logs a failure at once, then hourly with its count', async () => {
  const one = answered();
  for (let n = 0; n < 721; n += 1) await read(one, BROKEN);
  const warnings = one.lines.filter((line) => line.includes('WARN'));
  assert.is(warnings.length, 2);
  assert.match(warnings[0]!, 'version mismatch');
  assert.match(warnings[1]!, 'repeated=719');
});

const summaryOf = async (collector: Collector) => {
  const sample = await collector.sample();
  const summary = deriveSummary(sample, { disks: [], interfaces: [] }, collector.unknown);
  return { sample, summary };
};

test('a graphics processor whose program fails since an update of its driver has no figures', async () => {
  let isBroken = false;
  const gpus = async (): Promise<GpuReading[]> => {
    if (isBroken) throw BROKEN;
    return parseNvidia('A, 1, 2, 3, 3, 3, 3, 97, 12, 83\n');
  };
  const { machine } = machineOf({ '/proc/stat': 'cpu 1 1 1 1\n' });
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const collector = new LinuxCollector(clock, log, [], { machine, gpus });
  assert.is((await summaryOf(collector)).summary['gpu_usage'], 97);
  isBroken = true;
  const usages: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    await clock.advance(15_000);
    usages.push((await summaryOf(collector)).summary['gpu_usage']);
  }
  assert.equal(usages, [97, 97, null, null]);
  assert.equal((await collector.sample()).gpu, []);
  assert.is(lines.filter((line) => line.includes('graphics')).length, 1);
});

test('a report each minute waits for its figures, one each second takes the earlier ones', async () => {
  let answer = (_: GpuReading[]) => {};
  const gpus = () => new Promise<GpuReading[]>((resolve) => (answer = resolve));
  const { machine } = machineOf({ '/proc/stat': 'cpu 1 1 1 1\n' });
  const clock = new FakeClock();
  const collector = new LinuxCollector(clock, memoryLog().log, [], { machine, gpus });
  const waits: number[] = [];
  for (const pause_ms of [1000, 10_000, 60_000, 600_000]) {
    await clock.advance(pause_ms);
    const sampling = collector.sample();
    waits.push(await clock.timer('slow figures'));
    answer([]);
    await sampling;
  }
  assert.equal(waits, [200, 500, 2000, 2000]);
});

test('a sample with nothing slow to read arms no timer: an agent wakes once for each report', async () => {
  const { machine } = machineOf({ '/proc/stat': 'cpu 1 1 1 1\n' });
  const clock = new FakeClock();
  const armed: string[] = [];
  const after = clock.after.bind(clock);
  clock.after = (label, ms, run) => {
    armed.push(label);
    return after(label, ms, run);
  };
  const gpus = async () => [];
  const collector = new LinuxCollector(clock, memoryLog().log, [], { machine, gpus });
  await collector.sample();
  const first = armed.length;
  for (let second = 1; second < 5; second += 1) {
    await clock.advance(1000);
    if (second < 4) await collector.sample();
  }
  assert.equal(armed.slice(first), []);
});

test('a summary has no figure for what the kernel does not tell, a full report has a 0', async () => {
  const { machine } = machineOf({ '/proc/stat': 'cpu 1 1 1 1\n' });
  const collector = new LinuxCollector(new FakeClock(), memoryLog().log, [], { machine });
  const { sample, summary } = await summaryOf(collector);
  for (const key of ['process_count', 'tcp_connections', 'udp_connections', 'gpu_usage']) {
    assert.is(summary[key], null, key);
  }
  assert.is(sample.system.process_count, 0);
  assert.is(sample.network.tcp_connections, 0);
});

test('the boot time follows the kernel, which changes it when the clock is set', async () => {
  const stat = (btime: number) => `cpu 1 1 1 1\nbtime ${btime}\n`;
  const { machine, write } = machineOf({ '/proc/stat': stat(1000) });
  const collector = new LinuxCollector(new FakeClock(), memoryLog().log, [], { machine });
  assert.is((await collector.sample()).system.boot_time, 1000);
  write('/proc/stat', stat(1_795_698_656));
  assert.is((await collector.sample()).system.boot_time, 1_795_698_656);
});

test('elsewhere the boot time follows the clock, and stays where only the rounding differs', async () => {
  let now = 1_781_000_000_000;
  const clock = Object.assign(new FakeClock(), { now: () => now });
  const collector = new PortableCollector(clock, memoryLog().log, 'freebsd');
  const first = (await collector.sample()).system.boot_time;
  now += 900;
  assert.is((await collector.sample()).system.boot_time, first);
  now += 3_600_000;
  const moved = (await collector.sample()).system.boot_time - first;
  assert.ok(moved >= 3599 && moved <= 3602, `${moved}`);
});

test('figures of macOS are left out when its programs fail', async () => {
  let isBroken = false;
  const programs = async () => {
    if (isBroken) throw BROKEN;
    const ram = { available_memory: 1, total_swap: 2, used_swap: 1 };
    return { ram, process_count: 3, disks: [], traffic: new Map(), at_ms: 0 };
  };
  const clock = new FakeClock();
  const collector = new PortableCollector(clock, memoryLog().log, 'darwin', programs);
  assert.is((await summaryOf(collector)).summary['process_count'], 3);
  isBroken = true;
  for (let n = 0; n < 3; n += 1) {
    await clock.advance(10_000);
    await collector.sample();
  }
  const { summary } = await summaryOf(collector);
  assert.equal([summary['process_count'], summary['total_swap']], [null, null]);
});

const stat = (pid: number, parent: number, name = 'a) R 9 (b') =>
  [`/proc/${pid}/stat`, `${pid} (${name}) S ${parent} 0 0 0 -1 0\n`] as const;
const PROCESSES = Object.fromEntries([
  stat(1, 0, 'init'),
  stat(2, 0, 'kthreadd'),
  stat(3, 2, 'rcu_gp'),
  stat(40, 2, 'kworker/0:1'),
  stat(500, 1),
  stat(501, 500),
]);
const KERNEL = { '/proc/2/comm': 'kthreadd\n' };
// [what, files beside the processes, number]
const COUNTS: [string, Record<string, string>, number][] = [
  ['a kernel that lists its threads', { ...KERNEL, '/proc/2/task/2/children': '3 40 ' }, 3],
  ['a kernel without that list', KERNEL, 3],
  ['a container, whose process 2 is one like the others', { '/proc/2/comm': 'sh\n' }, 6],
];
for (const [what, files, expected] of COUNTS) {
  test(`process_count leaves out the kernel's threads: ${what}`, async () => {
    assert.is(await countProcesses(machineOf({ ...PROCESSES, ...files }).machine), expected);
  });
}

test.run();
