// The dispatcher looks when something may be due, and otherwise now and then.

import type { Clock } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { Pace } from '../../plugins/alert/src/dispatch/pace.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: when the dispatcher looks');
let now = 0;
const clock = { monotonic: () => now } as unknown as Clock;

/** Seconds, of the next twenty, in which there was a round. */
async function rounds(pace: Pace, nextAt?: number, woken: readonly number[] = []) {
  const seen: number[] = [];
  for (let second = 0; second < 20; second++, now += 1_000) {
    if (woken.includes(second)) pace.wake();
    await pace.look(second * 1_000, async () => {
      seen.push(second);
      return nextAt;
    });
  }
  return seen;
}

const TABLE: readonly [string, boolean, number | undefined, number[], number[]][] = [
  ['nothing waits', false, undefined, [], [0, 10]],
  ['a change was announced', false, undefined, [4], [0, 4, 14]],
  ['a time is known, and stays due until it is decided', false, 17_000, [], [0, 10, 17, 18, 19]],
  [
    'changes of other servers may be unheard',
    true,
    undefined,
    [],
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18],
  ],
];
for (const [what, severalServers, nextAt, woken, expected] of TABLE)
  test(`where ${what}`, async () => {
    assert.equal(await rounds(new Pace(clock, severalServers), nextAt, woken), expected);
  });

test('a round that failed is done again at once', async () => {
  const pace = new Pace(clock, false);
  const failed = await pace
    .look(0, () => Promise.reject(new Error('the database is away')))
    .catch(() => 'failed');
  assert.is(failed, 'failed');
  assert.equal((await rounds(pace)).slice(0, 2), [0, 10]);
});

test.run();
