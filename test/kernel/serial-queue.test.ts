import { setImmediate as nextTurn } from 'node:timers/promises';
import { KeyedQueue, SerialQueue } from '@svc/plugin-sdk/util';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('serial queue');

test('work runs one after another, in the order of the calls', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const work = (name: string, turns: number) => async () => {
    log.push(`${name} begins`);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    log.push(`${name} ends`);
    return name;
  };
  const done = await Promise.all([queue.run(work('a', 3)), queue.run(work('b', 1))]);
  assert.equal(done, ['a', 'b']);
  assert.equal(log, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a failure goes to its own caller, and the next work starts all the same', async () => {
  for (const queue of [new SerialQueue(), withKey(new KeyedQueue())]) {
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const thrown = queue.run(() => {
      throw new Error('neither');
    });
    const next = queue.run(() => 'next');
    const [first, second] = await Promise.allSettled([failed, thrown]);
    assert.is(first.status, 'rejected');
    assert.is(second.status, 'rejected');
    assert.is(await next, 'next');
  }
});

const withKey = (queue: KeyedQueue) => ({
  run: <T>(work: () => T | Promise<T>) => queue.run('key', work),
});

test('work that shares a key never overlaps, keeps its order, and other work does not wait for it', async () => {
  const works = fc.array(
    fc.record({
      keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      turns: fc.nat({ max: 3 }),
      fails: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(works, async (all) => {
      const queue = new KeyedQueue();
      const running = new Set<string>();
      const begun = new Map<string, number[]>();
      const done = all.map(({ keys, turns, fails }, at) =>
        queue.run(keys, async () => {
          for (const key of keys) {
            assert.not(running.has(key));
            running.add(key);
            begun.set(key, [...(begun.get(key) ?? []), at]);
          }
          for (let turn = 0; turn < turns; turn++) await nextTurn();
          for (const key of keys) running.delete(key);
          if (fails) throw new Error('failed');
        }),
      );
      const ends = await Promise.allSettled(done);
      assert.equal(
        ends.map(({ status }) => status === 'rejected'),
        all.map(({ fails }) => fails),
      );
      for (const order of begun.values())
        assert.equal(
          order,
          order.toSorted((a, b) => a - b),
        );
    }),
    { numRuns: 50 },
  );
});

test('a key that is busy holds no other key up', async () => {
  const queue = new KeyedQueue();
  const { promise, resolve } = Promise.withResolvers<void>();
  const busy = queue.run('a', () => promise);
  assert.is(await queue.run('b', () => 'free'), 'free');
  resolve();
  await busy;
});

test.run();
