// Which reports are of now: judged by the usual difference between arrival and the agent's clock.

import * as assert from 'uvu/assert';
import { ClockOffset } from '../../plugins/alert/src/evaluate/clock-offset.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: clocks of agents');

const SECOND = 1_000;
const HOUR = 3_600_000;

/** Reports one a second with these differences. @returns whether each is of now */
const judge = (clock: ClockOffset, differences: readonly number[], from = 0) =>
  differences.map((difference, n) => clock.isCurrent(difference, from + n * SECOND));
const same = (count: number, value: number) => Array.from({ length: count }, () => value);

test('an agent whose clock is about right is believed at once', () => {
  assert.equal(
    judge(new ClockOffset(undefined), [80, 50_000, -90_000, 20]),
    same(4, 1).map(Boolean),
  );
});

test('reports that were kept for an hour are late, and those of now are not', () => {
  const clock = new ClockOffset(undefined);
  judge(clock, same(10, 100));
  const kept = Array.from({ length: 3_600 }, (_none, n) => HOUR - n * SECOND);
  const late = kept.map((difference, n) => clock.isCurrent(difference, 20_000 + n));
  assert.is(late.findIndex(Boolean), 3_480);
  assert.ok(clock.isCurrent(100, 30_000));
  assert.is(clock.usual, 0 + 100);
});

test('kept reports of an agent that nothing is known of are late, too', () => {
  const clock = new ClockOffset(undefined);
  const kept = Array.from({ length: 3_000 }, (_none, n) => HOUR - n * SECOND);
  assert.ok(kept.every((difference, n) => !clock.isCurrent(difference, n)));
});

test('a clock two hours ahead, and one two hours behind, is believed after a minute', () => {
  for (const difference of [-2 * HOUR, 2 * HOUR]) {
    const judged = judge(new ClockOffset(undefined), same(70, difference));
    assert.is(judged.indexOf(true), 60);
    assert.is(judged.lastIndexOf(false), 59);
  }
});

test('a stored difference is believed after a start', () => {
  assert.equal(judge(new ClockOffset(2 * HOUR), [2 * HOUR + 500, 2 * HOUR + 200_000]), [
    true,
    false,
  ]);
});

test('a clock that is set forward is believed at once, one that is set back after a minute', () => {
  const clock = new ClockOffset(100);
  assert.equal(judge(clock, [-HOUR, -HOUR]), [true, true]);
  const judged = judge(clock, same(70, 100), 10_000);
  assert.is(judged.indexOf(true), 60);
});

test('a difference is stored when it changed by more than five seconds', () => {
  const clock = new ClockOffset(undefined);
  assert.is(clock.toStore(), undefined);
  judge(clock, [100]);
  assert.is(clock.toStore(), 100);
  judge(clock, [-4_000]);
  assert.is(clock.toStore(), undefined);
  judge(clock, [-6_000]);
  assert.is(clock.toStore(), -6_000);
});

test.run();
