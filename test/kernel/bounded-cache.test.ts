import { BoundedCache } from '@svc/plugin-sdk/util';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('bounded cache');

const make = (most: number, bytes: number, kept: ReadonlySet<number> = new Set()) => {
  const left: number[] = [];
  const cache = new BoundedCache<number, number>({
    most,
    bytes,
    weigh: (value) => value,
    keeps: (value) => kept.has(value),
    left: (key) => left.push(key),
  });
  return { cache, left };
};

test('what was not used since the last look goes first', () => {
  const { cache, left } = make(2, 1_000);
  for (const key of [1, 2, 3]) cache.set(key, 1);
  cache.get(1);
  cache.set(4, 1);
  assert.ok(cache.has(1));
  assert.equal(left.includes(1), false);
});

test('what is used at this moment stays beyond the bounds, and goes when it is free', () => {
  const kept = new Set([7]);
  const { cache } = make(10, 14, kept);
  for (let key = 0; key < 5; key++) cache.set(key, 7);
  assert.is(cache.bytes, 35);
  kept.clear();
  for (let key = 5; key < 9; key++) cache.set(key, 1);
  assert.ok(cache.bytes <= 14, `${cache.bytes}`);
});

test('it stays within twice its bounds, also when everything is used all the time', () => {
  const cache = new BoundedCache<number, number>({ most: 8 });
  for (let key = 0; key < 100; key++) {
    for (let used = 0; used < key; used++) cache.get(used);
    cache.set(key, key);
    assert.ok(cache.size <= 16, `${cache.size}`);
    assert.is(cache.get(key), key);
  }
});

test('a value that is set again is weighed again', () => {
  const { cache } = make(10, 1_000);
  cache.set(1, 10);
  cache.set(1, 30);
  assert.is(cache.bytes, 30);
  cache.delete(1);
  assert.is(cache.bytes, 0);
});

test('it stays within twice its bounds whatever comes, and tells of all that went', () => {
  const step = fc.record({
    key: fc.nat(40),
    value: fc.integer({ min: 1, max: 20 }),
    get: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const { cache, left } = make(8, 60);
      const there = new Set<number>();
      for (const { key, value, get } of steps) {
        if (get) cache.get(key);
        else {
          cache.set(key, value);
          there.add(key);
          for (const gone of left.splice(0)) there.delete(gone);
          assert.is(cache.size, there.size);
        }
        assert.ok(cache.size <= 16 && cache.bytes <= 120, `${cache.size} of ${cache.bytes} bytes`);
      }
    }),
  );
});

test.run();
