// crontab.md §2: an expression may have 10,000 characters; who reads many of them leaves turns to others.

import { setImmediate } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Jobs } from '../../plugins/crontab/src/jobs.ts';
import type { JobStore, PlanRow } from '../../plugins/crontab/src/store/jobs.ts';
import { suite } from '../runner/suite.ts';

const row = (id: number): PlanRow => ({
  id,
  name: `${id}`,
  enable: true,
  cron_expression: `*${',*'.repeat(4_900)} 0 0 1 1 * ${'0'.repeat(id % 100)}${2000 + (id % 100)}`,
  start_time: 0,
  version: 0,
  last_run_time: null,
  claimed_by: null,
});

const test = suite('crontab: long expressions');

test('many jobs are planned in slices', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => row(at + 1));
  const store = { plans: async () => rows } as unknown as JobStore;
  const jobs = new Jobs({
    store,
    now: () => Date.now(),
    unreadable: (_row, error) => assert.unreachable(`${error}`),
  });
  let [turns, isDone] = [0, false];
  const reading = jobs.reload().then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await setImmediate();
  await reading;
  assert.is([...jobs.values()].length, 300);
  assert.ok(turns > 10, `${turns} turns`);
});

test.run();
