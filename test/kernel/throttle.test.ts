import { Throttle } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('throttle');

function make(period_ms?: number) {
  let now = 5;
  const throttle = new Throttle({ monotonic: () => now }, period_ms);
  return { throttle, advance: (ms: number) => (now += ms) };
}

test('the first passes, then one a minute, which says how many were suppressed', () => {
  const { throttle, advance } = make();
  const steps: [after_ms: number, passes: number | undefined][] = [
    [0, 0],
    [0, undefined],
    [59_999, undefined],
    [1, 2],
    [60_000, 0],
  ];
  for (const [after_ms, expected] of steps) {
    advance(after_ms);
    assert.is(throttle.pass(), expected);
  }
});

test('a longer period is kept', () => {
  const { throttle, advance } = make(3_600_000);
  assert.is(throttle.pass(), 0);
  advance(3_599_999);
  assert.is(throttle.pass(), undefined);
  advance(1);
  assert.is(throttle.pass(), 1);
});

test('each key is throttled on its own', () => {
  const { throttle } = make();
  assert.is(throttle.pass('a'), 0);
  assert.is(throttle.pass('b'), 0);
  assert.is(throttle.pass('a'), undefined);
});

test('keys beyond a thousand share one place, until older ones are out of date', () => {
  const { throttle, advance } = make();
  for (let key = 0; key < 1_000; key++) assert.is(throttle.pass(`key ${key}`), 0);
  assert.is(throttle.pass('one more'), 0);
  assert.is(throttle.pass('another one'), undefined);
  advance(60_000);
  assert.is(throttle.pass('another one'), 0);
  assert.is(throttle.pass('one more'), 0);
});

test.run();
