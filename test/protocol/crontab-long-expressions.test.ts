// crontab.md §2: an expression may have 10,000 characters; who reads many of them leaves turns to others and keeps their times alone.

import { setImmediate } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { parseCron } from '../../plugins/crontab/src/cron/parse.ts';
import { Jobs } from '../../plugins/crontab/src/jobs.ts';
import type { JobStore, PlanRow } from '../../plugins/crontab/src/store/jobs.ts';
import { suite } from '../runner/suite.ts';

const row = (id: number, cron_expression: string): PlanRow => ({
  id,
  name: `${id}`,
  enable: true,
  cron_expression,
  start_time: 0,
  version: 0,
  last_run_time: null,
  claimed_by: null,
});
const long = (id: number) => `*${',*'.repeat(4_700)} 0 0 1 1 * ${' '.repeat(id)}2100`;
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step).join();
/** No two values follow each other, so no range holds them: the longest list of values. */
const scattered = [
  every(2, 0, 59),
  every(2, 1, 59),
  every(2, 0, 23),
  every(2, 1, 31),
  every(2, 1, 12),
  every(2, 1, 7),
  `${every(2, 1970, 2100)}${',2000'.repeat(1_000)}`,
].join(' ');

/** Jobs of these rows, and a clock that can be set. */
function jobsOf(rows: readonly PlanRow[], clock = { now: Date.now() }): Jobs {
  const store = { plans: async () => rows } as unknown as JobStore;
  return new Jobs({
    store,
    now: () => clock.now,
    unreadable: (_row, error) => assert.unreachable(`${error}`),
  });
}

/** Turns that others got meanwhile. */
async function turnsOf(work: Promise<void>): Promise<number> {
  let [turns, isDone] = [0, false];
  const ended = work.then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await setImmediate();
  await ended;
  return turns;
}

const test = suite('crontab: long expressions');

test('many jobs are planned in slices', async () => {
  const jobs = jobsOf(Array.from({ length: 300 }, (_, at) => row(at + 1, long(at + 1))));
  const turns = await turnsOf(jobs.reload());
  assert.is([...jobs.values()].length, 300);
  assert.ok(turns > 10, `${turns} turns`);
});

test('of a long expression its times stay, which are the same', async () => {
  const texts = [long(1), scattered, `${' '.repeat(9_000)}0 0 0 29 2 ?`, '@daily'];
  const clock = { now: Date.UTC(2026, 1, 3, 4, 5, 6) };
  const jobs = jobsOf(
    texts.map((text, at) => row(at + 1, text)),
    clock,
  );
  await jobs.reload();
  for (const [at, text] of texts.entries()) {
    const job = jobs.get(at + 1);
    assert.is(job?.due, parseCron(text).next(clock.now - 1000));
    assert.ok(JSON.stringify(job).length < 1_000, `${JSON.stringify(job).length} characters`);
    jobs.recordRun(at + 1, clock.now + 60_000, 'a server');
    assert.is(jobs.get(at + 1)?.due, parseCron(text).next(clock.now + 60_000));
  }
});

for (const text of [
  long(1),
  scattered,
  '* * * * * *',
  '1-5,9 0 */3 ? jan-mar mon,wed',
  '0 0 0 1 1 0',
])
  test(`times of ${text.slice(0, 40)} are written as an expression that is read the same`, () => {
    const schedule = parseCron(text);
    assert.equal(parseCron(schedule.expression()), schedule);
    assert.ok(schedule.expression().length <= 700);
  });

test('of a row that is handed over whole, what the job does is not kept', async () => {
  const jobs = jobsOf([]);
  jobs.put({ ...row(1, '@daily'), cron_type: 'x'.repeat(5_000), owner: 'somebody' } as PlanRow);
  assert.ok(JSON.stringify(jobs.get(1)).length < 1_000);
});

test('when the clock goes back, all jobs are planned anew in slices', async () => {
  const clock = { now: Date.UTC(2026, 0, 2) };
  const jobs = jobsOf([], clock);
  for (let id = 1; id <= 20_000; id++) {
    const text = `${id % 60} ${((id / 60) % 60) | 0} ${((id / 3_600) % 24) | 0} 1,3,5,7,9 1,3,5,7,9 *`;
    jobs.put({ ...row(id, text), last_run_time: clock.now });
  }
  clock.now = Date.UTC(2025, 0, 1);
  const turns = await turnsOf(jobs.rebase());
  assert.ok(turns > 1, `${turns} turns`);
  for (const { due } of jobs.values())
    assert.is(new Date(due).toISOString().slice(0, 10), '2025-01-01');
});

test.run();
