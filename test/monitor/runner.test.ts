// When checks begin (plugins/monitor/src/engine/{runner,schedule}.ts), and when a place counts as cut off (isolation.ts).
import type { Clock } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { Isolation } from '../../checks/src/place/isolation.ts';
import { type Job, Runner } from '../../checks/src/place/runner.ts';
import { nextPlanned, serverOf } from '../../checks/src/place/schedule.ts';
import { suite } from '../runner/suite.ts';

const test = suite('monitor: when checks begin');
const MINUTE = 60_000;
const START = 1_795_000_000_000;

/** A runner whose checks end when the test says so. */
function stage(concurrent = 50) {
  let now = START;
  const begun: { id: number; planned: number; end: (again?: number) => void }[] = [];
  const runner = new Runner({ now: () => now } as Clock, () => concurrent);
  const job = (id: number, over: Partial<Job> = {}): Job => ({
    ...{ monitor_id: id, version: 1, interval_ms: MINUTE, host: `host-${id}`, owner: null },
    check: (planned) => new Promise((end) => begun.push({ id, planned, end })),
    ...over,
  });
  const pass = (ms: number, step = 500) => {
    for (const until = now + ms; now < until; now += step) runner.round();
  };
  return { runner, job, begun, pass, ids: () => begun.map(({ id }) => id) };
}
const turn = () => new Promise(setImmediate);
/** Waits until those that follow checks that ended have begun. */
const settled = async () => {
  for (let n = 0; n < 3; n++) await turn();
};

test('checks of one owner that never end leave places to the others', async () => {
  const { runner, job, begun, pass, ids } = stage(10);
  const many = Array.from({ length: 100 }, (_one, n) => job(n, { owner: 'a' }));
  runner.set([...many, job(200), job(201, { host: 'host-1' }), job(202, { owner: 'b' })]);
  pass(2 * MINUTE);
  await settled();
  assert.equal(
    ids()
      .filter((id) => id >= 200)
      .sort(),
    [200, 201, 202],
  );
  assert.is(begun.length, 8, 'one owner has half of the places');
  for (const { id, end } of begun) if (id >= 200) end();
  await settled();
  pass(2 * MINUTE);
  await settled();
  assert.is(ids().filter((id) => id >= 200).length, 6);
});

test('one owner alone has all places', async () => {
  const { runner, job, begun, pass } = stage(10);
  runner.set(Array.from({ length: 100 }, (_one, n) => job(n, { owner: 'a' })));
  pass(2 * MINUTE);
  await settled();
  assert.is(begun.length, 10);
});

test('planned times are one interval apart, and spread by the id', () => {
  const first = nextPlanned(7, MINUTE, START);
  assert.ok(first > START && first <= START + MINUTE);
  assert.is(nextPlanned(7, MINUTE, first), first + MINUTE);
  const offsets = Array.from({ length: 600 }, (_one, id) => nextPlanned(id, MINUTE, START) - START);
  const early = offsets.filter((offset) => offset <= MINUTE / 2).length;
  assert.ok(early > 240 && early < 360, `${early} of 600 in the first half`);
});

test('a server that goes leaves the monitors of the others where they are', () => {
  const ids = Array.from({ length: 300 }, (_one, id) => id);
  const before = ids.map((id) => serverOf(id, ['a', 'b', 'c']));
  const later = ids.map((id) => serverOf(id, ['c', 'a']));
  for (const [at, server] of before.entries()) if (server !== 'b') assert.is(later[at], server);
  assert.ok(before.filter((server) => server === 'a').length > 60);
});

test('a new monitor is checked within seconds, then by its grid, however long a check takes', async () => {
  const { runner, job, begun, pass } = stage();
  runner.set([job(1)]);
  pass(6_000);
  assert.is(begun.length, 1);
  pass(20_000);
  begun[0]?.end();
  await settled();
  pass(2 * MINUTE);
  const next = nextPlanned(1, MINUTE, begun[0]?.planned ?? 0);
  assert.is(begun[1]?.planned, next);
});

test('a retry comes before the next planned check', async () => {
  const { runner, job, begun, pass } = stage();
  runner.set([job(1, { interval_ms: 10 * MINUTE })]);
  pass(6_000);
  const [first] = begun;
  first?.end(first.planned + 20_000);
  await settled();
  pass(30_000);
  assert.is(begun[1]?.planned, (first?.planned ?? 0) + 20_000);
});

test('a check that could not begin for an interval is dropped and counted', async () => {
  const { runner, job, begun, ids, pass } = stage(1);
  runner.set([job(1), job(2)]);
  pass(3 * MINUTE);
  assert.is(begun.length, 1, 'the other one waits');
  assert.ok(runner.late >= 2);
  for (let round = 0; round < 8; round++) {
    begun.at(-1)?.end();
    await settled();
    pass(MINUTE / 2);
  }
  assert.equal([...new Set(ids())].toSorted(), [1, 2]);
});

test('two checks of one host run at a time', () => {
  const { runner, job, begun, pass } = stage();
  runner.set([1, 2, 3, 4].map((id) => job(id, { host: 'one' })));
  pass(10_000);
  assert.is(begun.length, 2);
});

test('when a check ends the one that waits longest begins at once, of any host that is free', async () => {
  const { runner, job, begun, ids, pass } = stage(3);
  const slow = { host: 'one', interval_ms: 100 * MINUTE };
  const jobs = [1, 2, 3, 4].map((id) => job(id, slow));
  runner.set(jobs);
  pass(6_000);
  assert.is(begun.length, 2, 'two of one host');
  runner.set([...jobs, ...[5, 6, 7].map((id) => job(id, { interval_ms: 100 * MINUTE }))]);
  pass(6_000);
  assert.is(begun.length, 3, 'three in all');
  const first = ids();
  begun[0]?.end();
  await settled();
  assert.is(begun.length, 4);
  assert.ok((ids()[3] ?? 9) <= 4, 'of the same host, which waits since before the others');
  begun[2]?.end();
  await settled();
  assert.is(begun.length, 5);
  assert.ok((ids()[4] ?? 0) > 4, 'the host is busy: one of another');
  for (const { end } of begun) end();
  await settled();
  for (const { end } of begun) end();
  await settled();
  assert.equal(ids().toSorted(), [1, 2, 3, 4, 5, 6, 7]);
  assert.is(new Set(first).size, 3);
});

test('what was deleted while it waited for its host begins no more, and the next one does', async () => {
  const { runner, job, begun, ids, pass } = stage();
  const jobs = [1, 2, 3, 4].map((id) => job(id, { host: 'one' }));
  runner.set(jobs);
  pass(6_000);
  const running = ids();
  const [gone, last] = [1, 2, 3, 4].filter((id) => !running.includes(id));
  runner.set(jobs.filter(({ monitor_id }) => monitor_id !== gone));
  begun[0]?.end();
  await settled();
  assert.equal(ids().slice(2), [last]);
});

test('checks that end at once begin a few at a time, and all of them without another round', async () => {
  const { runner, job, pass } = stage(50);
  let count = 0;
  const check = async () => {
    count++;
    return undefined;
  };
  runner.set(
    Array.from({ length: 300 }, (_one, id) => job(id, { interval_ms: 100 * MINUTE, check })),
  );
  pass(5_000, 5_000);
  const before = count;
  pass(1, 1);
  assert.ok(count - before <= 20, `${count - before} at once`);
  for (let n = 0; n < 30; n++) {
    const had = count;
    await turn();
    assert.ok(count - had <= 20, `${count - had} in a turn`);
  }
  assert.is(count, 300);
});

test('a monitor that is to be checked now and waits already keeps its place', async () => {
  const { runner, job, begun, ids, pass } = stage();
  runner.set([1, 2, 3].map((id) => job(id, { host: 'one', interval_ms: 100 * MINUTE })));
  pass(6_000);
  const waiting = [1, 2, 3].find((id) => !ids().includes(id)) ?? 0;
  pass(6_000);
  runner.now(waiting);
  begun[0]?.end();
  await settled();
  assert.is(begun.at(-1)?.planned, begun[0]?.planned);
});

test('a monitor that is to be checked now while it is checked is checked again', async () => {
  const { runner, job, begun, pass } = stage();
  runner.set([job(1, { interval_ms: 100 * MINUTE })]);
  pass(6_000);
  assert.ok(runner.now(1));
  begun[0]?.end();
  await settled();
  pass(1_000);
  assert.is(begun.length, 2);
  assert.not(runner.now(2));
});

test('a changed monitor is planned anew, an unchanged one keeps its plan, a deleted one is checked no more', async () => {
  const { runner, job, begun, ids, pass } = stage();
  runner.set([job(1), job(2), job(3)]);
  pass(6_000);
  for (const { end } of begun) end();
  await settled();
  const count = begun.length;
  runner.set([job(1), job(2, { version: 2 })]);
  pass(6_000);
  assert.ok(ids().slice(count).includes(2));
  pass(2 * MINUTE);
  assert.not(ids().slice(count).includes(3));
});

const seen = (n: number, at_s: number, reached: boolean) => ({
  ...{ monitor_id: n, owner: null, host: `h${n}`, at: at_s * 1_000, reached },
});

test('a place is cut off when half of what it checked within a minute got no answer, not before', () => {
  const place = new Isolation();
  for (let n = 0; n < 40; n++) place.add(seen(n, n * 1.5, true));
  let since: number | undefined;
  for (let n = 0; n < 40 && since === undefined; n++)
    if (place.add(seen(n, 60 + n * 1.5, false))) since = n * 1.5;
  assert.ok(since !== undefined && since >= 25 && since <= 35, `${since}`);
  assert.ok(place.isolated && place.isDoubtful(0, 100_000));
});

test('two dead hosts of forty, or three monitors of one host, cut no place off', () => {
  const place = new Isolation();
  for (let n = 0; n < 400; n++) place.add(seen(n % 40, n * 1.5, n % 40 > 1));
  assert.not(place.isolated);
  const other = new Isolation();
  for (let n = 0; n < 9; n++) other.add({ ...seen(n % 3, n, false), host: 'one' });
  assert.not(other.isolated || other.isDoubtful(0, 9_000));
});

test('the first silence of one among several waits until something comes from another, at most a minute', () => {
  const place = new Isolation();
  for (let n = 0; n < 8; n++) place.add(seen(n, n, true));
  place.add(seen(2, 60, false));
  assert.ok(place.isDoubtful(2, 60_000) && place.isDoubtful(2, 119_000));
  assert.not(place.isDoubtful(2, 120_000));
  place.add(seen(5, 63, true));
  place.add(seen(2, 80, false));
  assert.not(place.isDoubtful(2, 80_000));
});

test('failures of the monitors of one owner cut no place off while those of another are well', () => {
  const place = new Isolation();
  for (let n = 0; n < 4; n++) place.add({ ...seen(n, n, true), owner: 'b' });
  for (let n = 4; n < 20; n++) place.add({ ...seen(n, n, false), owner: 'a' });
  assert.not(place.isolated);
  for (let n = 0; n < 2; n++) place.add({ ...seen(n, 20 + n, false), owner: 'b' });
  assert.ok(place.isolated);
});

test('a place is connected again after answers', () => {
  const place = new Isolation();
  for (let n = 0; n < 5; n++) place.add(seen(n, n, false));
  assert.ok(place.isolated);
  let back: boolean | undefined;
  for (let n = 0; n < 5 && back === undefined; n++) back = place.add(seen(n, 60 + n, true));
  assert.is(back, false);
});

test.run();
